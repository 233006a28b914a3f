import Testing

@testable import WalletConsole

@Suite struct MarkdownTests {
    @Test(arguments: [
        ("One\nline.\n\nTwo.", "<p>One\nline.</p><p>Two.</p>"),
        ("- a\n  b\n- c", "<ul><li>a\nb</li><li>c</li></ul>"),
        ("**x** `a<b`", "<p><strong>x</strong> <code>a&lt;b</code></p>"),
        ("```\n<p>\n```", "<pre tabindex=\"0\"><code>&lt;p&gt;</code></pre>"),
        ("[here](https://a.example/b)", "<p><a href=\"https://a.example/b\">here</a></p>"),
        ("# A `b` & c!\nText", "<h1 id=\"a-b-c\">A <code>b</code> &amp; c!</h1><p>Text</p>"),
        ("1. a\n   b\n2. c", "<ol start=\"1\"><li>a\nb</li><li>c</li></ol>"),
        ("4. d", "<ol start=\"4\"><li>d</li></ol>"),
        (
            "| a | b |\n|---|---|\n| `x` | <y> |",
            "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th>a</th><th>b</th></tr></thead><tbody>"
                + "<tr><td><code>x</code></td><td>&lt;y&gt;</td></tr></tbody></table></div>"
        ),
        (
            "See [events](events.md#verify) and [admin](admin.md).",
            "<p>See <a href=\"/guides/events.md#verify\">events</a> and admin.</p>"
        ),
    ])
    func `blocks and spans are rendered`(text: String, html: String) {
        #expect(Markdown(files: ["events.md": "/guides/events.md"]).html(text) == html)
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "[x](javascript:alert(1))", "`<img src=x>`", "a \"quoted\" <b>", "`open <b>",
    ])
    func `text cannot become an element or a script`(text: String) {
        let html = Markdown().html(text)
        #expect(!html.contains("<script") && !html.contains("<img") && !html.contains("<b>") && !html.contains("href"))
    }

    @Test func `a known code span links to its page`() {
        let markdown = Markdown(links: ["class-full": "/problems/class-full"])
        #expect(markdown.inline("`class-full`") == "<a href=\"/problems/class-full\"><code>class-full</code></a>")
        #expect(markdown.inline("`class-fuller`") == "<code>class-fuller</code>")
    }
}
