-- wallet.uuid_v5: UUIDs of version 5 without an extension. Another program computed all expected values but the first.
BEGIN;
\ir ../support/books.sql
SELECT * FROM no_plan();
SELECT is(
    wallet.uuid_v5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com'), '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    'the example of RFC 9562'
);
SELECT is(wallet.uuid_v5('b5d6e6a2-33b4-5c0f-9d3e-7c1d1f2a6c10', v.name), v.uuid, v.what)
FROM (VALUES
    ('', 'a956cab2-95ba-574f-9604-da51a9dbc7a8'::UUID, 'no name'),
    ('a', 'e2128940-52a3-5792-b6d2-ef9671648c65', 'a short one'),
    ('auth0|5f7c8ec7c33c6c004bbafe82', '108bccb2-08cd-59ec-b79c-1829e0e82464', 'that of an issuer'),
    (repeat('x', 39), '1f9e530e-50e4-503e-b609-c99bb2b918d6', 'one that fills a block'),
    (repeat('x', 40), '3c4fe498-f6f5-52ce-a328-b0a34cae411b', 'one that leaves no room for the length'),
    (repeat('x', 47), 'e3772dc5-dab6-5bc3-9299-0bced38901c3', 'one that leaves a byte'),
    (repeat('x', 48), '774cf416-f5ce-5e0e-818f-f5389bba31be', 'one that leaves none'),
    (repeat('é', 24), 'a8eabae2-eb0d-55b7-8b2b-470a95dc715f', 'one in two-byte characters'),
    (repeat('x', 103), 'c5001cb7-7be0-510e-ac46-b9888bc73eef', 'one that fills two blocks'),
    (repeat('x', 104), '026f5370-aee6-5a78-8ac2-3d565c2e44c7', 'one byte more'),
    (repeat('日本', 60), 'e0ca85e1-3e31-5400-b003-31d5c42454cb', 'one in three-byte characters'),
    (repeat('0', 320), 'c0df08ef-c277-59e1-8c6c-6e5b06e15bea', 'the longest user id')
) AS v (name, uuid, what);
SELECT is(wallet.uuid_v5('b5d6e6a2-33b4-5c0f-9d3e-7c1d1f2a6c10', NULL), NULL, 'a missing name gives no UUID');
SELECT * FROM finish();
ROLLBACK;
