"""Checks of the operators' console in a browser."""
import time

from playwright.sync_api import expect

PAGES = [
    "", "/list/classes", "/list/past-classes", "/list/bookings", "/list/products", "/list/claims", "/list/subscriptions",
    "/list/messages", "/list/events", "/list/refunds", "/list/flags", "/reports", "/health", "/list/audit",
    "/list/testers", "/list/series", "/list/holidays", "/actions/put-class", "/actions/put-series",
    "/actions/put-product",
]
EVIL = "<script>window.evil = 1</script> & \"30\" it's"


def sign_in(demo, path=""):
    demo.page.goto(f"{demo.base}/console{path}")
    demo.page.get_by_role("button", name="Sign in").click()
    expect(demo.page.get_by_role("button", name="Sign out")).to_be_visible()


def adjust(demo, user, amount, reason, is_new=False):
    demo.page.goto(f"{demo.base}/console/actions/adjust?user_id={user}")
    demo.page.get_by_label("Amount").fill(str(amount))
    demo.page.get_by_label("Reason").fill(reason)
    if is_new:
        demo.page.get_by_text("More", exact=True).click()
        demo.page.get_by_label("The user is new").select_option("true")
    demo.page.get_by_role("button", name="Preview").click()


def confirm(demo, result):
    demo.page.get_by_role("button", name="Confirm").click()
    expect(demo.page.locator("h1")).to_have_text(result)


def console_lost_credits(demo):
    """Handles a complaint of lost credits: search by keyboard, timeline, correction, audit."""
    user = f"lost-{time.time_ns()}"
    sign_in(demo)
    adjust(demo, user, 30, EVIL)
    expect(demo.page.get_by_role("alert")).to_contain_text("There is no such user")
    demo.page.get_by_label("The user is new").select_option("true")
    demo.page.get_by_role("button", name="Preview").click()
    expect(demo.page.locator("main")).to_contain_text("credits")
    expect(demo.page.get_by_role("row", name="credits 0 30")).to_be_visible()
    demo.accessible("a preview")
    demo.picture("console-preview")
    confirm(demo, "Balance updated: 0 → 30 credits")
    demo.page.goto(f"{demo.base}/console")
    demo.accessible("today")
    demo.picture("console-today")
    # The search box has the focus, so that typing searches at once; both keys work in it while it is empty.
    expect(demo.page.get_by_role("searchbox")).to_be_focused()
    demo.page.keyboard.press("?")
    expect(demo.page.get_by_role("dialog", name="Keys")).to_contain_text("Today")
    demo.accessible("the keys")
    demo.page.keyboard.press("Escape")
    expect(demo.page.get_by_role("dialog")).to_have_count(0)
    demo.page.keyboard.press("/")
    demo.page.keyboard.type(user[:14])
    # The only result opens at once.
    demo.page.keyboard.press("Enter")
    expect(demo.page.locator(".balance").first).to_contain_text("30 credits")
    expect(demo.page.get_by_text(EVIL).first).to_be_visible()
    assert demo.page.evaluate("window.evil") is None
    demo.accessible("a user")
    demo.picture("console-user")
    adjust(demo, user, -31, "too much")
    expect(demo.page.get_by_role("alert")).to_contain_text("Insufficient balance")
    demo.page.goto(f"{demo.base}/console/list/audit?user_id={user}")
    expect(demo.page.get_by_text("demo-operator").first).to_be_visible()
    demo.accessible("the audit")


def console_story(demo):
    """Checks support's view of the user of the demo's scenario."""
    demo.open()
    demo.play("refund")
    user = demo.page.locator("input[name=user]:checked").get_attribute("value")
    sign_in(demo, f"/user?user_id={user}")
    expect(demo.page.locator("main")).to_contain_text("refunded")
    expect(demo.page.get_by_role("link", name="Cancel", exact=True).first).to_be_visible()
    demo.accessible("a user with a story")
    demo.picture("console-story")
    adjust(demo, user, 20, "goodwill: the class ended early")
    expect(demo.page.get_by_role("row", name="credits")).to_be_visible()
    demo.picture("console-action")
    demo.page.goto(f"{demo.base}/console/reports")
    expect(demo.page.get_by_role("heading", name="Revenue by day", exact=True)).to_be_visible()
    demo.picture("console-reports")


def console_previews_hold(demo):
    """A confirmation applies its preview; an outdated preview is shown again, and a form sent twice is applied once."""
    user = f"twice-{time.time_ns()}"
    sign_in(demo)
    adjust(demo, user, 5, "first", is_new=True)
    confirm(demo, "Balance updated: 0 → 5 credits")
    adjust(demo, user, 7, "second")
    other = demo.context.new_page()
    other.goto(f"{demo.base}/console/actions/adjust?user_id={user}")
    other.get_by_label("Amount").fill("1")
    other.get_by_label("Reason").fill("between")
    other.get_by_role("button", name="Preview").click()
    other.get_by_role("button", name="Confirm").click()
    expect(other.locator("h1")).to_have_text("Balance updated: 5 → 6 credits")
    demo.page.get_by_role("button", name="Confirm").click()
    expect(demo.page.get_by_role("alert")).to_contain_text("changed since")
    confirm(demo, "Balance updated: 6 → 13 credits")
    demo.page.reload()
    demo.page.goto(f"{demo.base}/console/user?user_id={user}")
    expect(demo.page.locator(".balance").first).to_contain_text("13 credits")


def console_pages_in_the_dark(demo):
    """Every page fits a phone and passes axe in dark mode."""
    sign_in(demo)
    for path in PAGES:
        demo.page.goto(f"{demo.base}/console{path}")
        expect(demo.page.locator("h1")).to_be_visible()
        demo.fits()
        demo.accessible(path)
    demo.picture("console-phone-dark")


def console_keeps_up(demo):
    """The first page refreshes itself while it is visible, and not while it is hidden."""
    demo.page.clock.install()
    sign_in(demo)
    mark = "document.querySelector('.attention').dataset.mark = 'old'"
    demo.page.evaluate(mark)
    demo.page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true })")
    demo.page.clock.run_for(25_000)
    expect(demo.page.locator("[data-mark]")).to_have_count(1)
    demo.page.evaluate("delete document.hidden")
    demo.page.clock.run_for(10_000)
    expect(demo.page.locator("[data-mark]")).to_have_count(0)
    expect(demo.page.locator(".attention")).to_have_count(1)
    expect(demo.page.locator("h1")).to_have_text("Today")
    demo.context.clear_cookies()
    demo.page.clock.run_for(10_000)
    expect(demo.page.get_by_role("button", name="Sign in")).to_be_visible()


def console_without_scripts(demo):
    """Signs in, adjusts and signs out without scripts; the signed-out session stays invalid."""
    context = demo.context.browser.new_context(java_script_enabled=False)
    demo.context.close()
    demo.context, demo.page = context, context.new_page()
    user = f"plain-{time.time_ns()}"
    sign_in(demo, "/list/classes")
    expect(demo.page.locator("h1")).to_have_text("Classes")
    adjust(demo, user, 9, "no scripts", is_new=True)
    confirm(demo, "Balance updated: 0 → 9 credits")
    cookies = context.cookies()
    demo.page.get_by_role("button", name="Sign out").click()
    expect(demo.page.locator("h1")).to_have_text("Signed out")
    context.add_cookies(cookies)
    demo.page.goto(f"{demo.base}/console")
    expect(demo.page.get_by_role("button", name="Sign in")).to_be_visible()


def console_studio(demo):
    """Creates, changes and cancels a class and checks the shown differences; changes a product; sends a test event."""
    name, page = f"class-{time.time_ns()}", demo.page
    sign_in(demo, "/list/classes")
    page.get_by_role("link", name="New class").click()
    soon = time.strftime("%Y-%m-%dT18:00", time.gmtime(time.time() + 40 * 86_400))
    page.get_by_text("More", exact=True).click()
    for label, value in [
        ("Title", EVIL), ("Starts (UTC)", soon), ("Length in minutes", "120"), ("Seats", "8"),
        ("Id of the class", name), ("Reason", "a new class"),
    ]:
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_role("button", name="Preview").click()
    # The refused form keeps everything that was typed, and the id can still be changed.
    expect(page.get_by_role("alert")).to_contain_text("must set credits, visits or both")
    expect(page.get_by_label("Id of the class", exact=True)).to_be_editable()
    expect(page.get_by_label("Length in minutes", exact=True)).to_have_value("120")
    page.get_by_label("Price in credits", exact=True).fill("20")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("row", name="capacity 8")).to_be_visible()
    confirm(demo, "Class saved")
    page.get_by_role("link", name="Open the class").click()
    expect(page.locator("h1")).to_have_text(EVIL)
    assert page.evaluate("window.evil") is None
    page.get_by_role("link", name="Change").click()
    expect(page.get_by_label("Starts (UTC)")).to_have_value(soon)
    page.get_by_label("Price in credits").fill("25")
    page.get_by_label("Reason").fill("clay is dear")
    demo.accessible("the form of a class")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page.get_by_role("row", name="price credits 20 25")).to_be_visible()
    demo.picture("console-class-change")
    confirm(demo, "Class saved")
    page.goto(f"{demo.base}/console/class?class_id={name}")
    page.get_by_role("link", name="Cancel the class").click()
    page.get_by_label("Reason").fill("the kiln is broken")
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("row", name="status scheduled cancelled")).to_be_visible()
    expect(page.get_by_text("Bookings that return everything")).to_be_visible()
    confirm(demo, "Class cancelled")
    page.goto(f"{demo.base}/console/list/products")
    page.get_by_role("link", name="Change").first.click()
    price = page.get_by_label("Price", exact=True)
    before = price.input_value()
    after = f"{float(before) + 1:.2f}"
    price.fill(after)
    page.get_by_label("Reason").fill("a try")
    page.get_by_role("button", name="Preview").click()
    demo.picture("console-product-change")
    expect(page.get_by_role("row", name=f"price {before} {after}")).to_be_visible()
    adjust(demo, name, 5, "a known user", is_new=True)
    confirm(demo, "Balance updated: 0 → 5 credits")
    page.goto(f"{demo.base}/console/list/events")
    page.get_by_role("link", name="Send a test event").click()
    page.get_by_label("User").fill(name)
    page.get_by_label("Reason").fill("does it arrive?")
    page.get_by_role("button", name="Preview").click()
    confirm(demo, "Test event queued for delivery")
    page.goto(f"{demo.base}/console/list/events?type=endpoint.test")
    expect(page.get_by_role("cell", name="endpoint.test").first).to_be_visible()


ALL = [
    console_lost_credits, console_story, console_previews_hold, console_pages_in_the_dark, console_keeps_up,
    console_without_scripts, console_studio,
]
