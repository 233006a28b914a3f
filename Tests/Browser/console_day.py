"""Plays the studio's day in the console, counts what a person does for each task, and checks every page's layout."""
import os
import subprocess
import time

from playwright.sync_api import expect

from console_checks import PAGES, sign_in
from studio import Studio

WIDTHS = [(1440, 900), (1280, 800), (390, 844)]
# Finds actions and links of the content that are outside the window's width.
OFF_SCREEN = """() => [...document.querySelectorAll("#content a, #content button, #content input, #content select")]
    .filter((item) => item.type !== "hidden" && item.checkVisibility())
    .filter((item) => {
        const box = item.getBoundingClientRect();
        const isAction = item.closest(".actions, .tools, form, .signs, .attention");
        return isAction && (box.right > innerWidth + 1 || box.left < -1);
    }).map((item) => item.textContent.trim() || item.name)"""


class Task:
    """One task with its key presses, its clicks and its duration."""

    def __init__(self, demo, name):
        self.demo, self.name, self.keys, self.clicks = demo, name, 0, 0
        self.started = time.monotonic()

    def press(self, *keys):
        for key in keys:
            self.demo.page.keyboard.press(key)
            self.keys += 1

    def type(self, text):
        self.demo.page.keyboard.type(text)
        self.keys += len(text)

    def tab_to(self, name):
        """Presses Tab until the field has the focus."""
        for _ in range(20):
            if self.demo.page.evaluate("document.activeElement.name") == name:
                return
            self.press("Tab")
        raise AssertionError(f"Tab does not reach {name}")

    def click(self, place):
        place.click()
        self.clicks += 1

    def end(self):
        seconds = time.monotonic() - self.started
        print(f"#   {self.name}: {self.keys} key presses, {self.clicks} clicks, {seconds:.1f} s", flush=True)


def arrives(demo, title):
    expect(demo.page.locator("h1")).to_contain_text(title)


def search(task, text):
    """Types into the search box, which has the focus when the first page opens, and sends it."""
    expect(task.demo.page.get_by_role("searchbox")).to_be_focused()
    task.type(text)
    task.press("Enter")


def psql(script):
    """Runs SQL in dev's database; Tests/Browser/run passes its address."""
    subprocess.run(
        ["psql", "-qXo", "/dev/null", "-v", "ON_ERROR_STOP=1", "-d", os.environ["DEV_DATABASE_URL"]], input=script, text=True,
        check=True,
    )


def console_day(demo):
    """The tasks of a studio's day, by the fewest key presses and clicks; giving credits back takes at most 12 keys."""
    studio, page = Studio(demo), demo.page
    studio.welcome()
    wheel = f"Wheel {studio.tag}"
    tonight = studio.put_class(wheel, 40)
    studio.book(tonight)
    studio.put_class(f"Raku {studio.tag}", 24 * 60)
    sold = studio.call("POST", "/demo/store/purchases", {
        "user_id": studio.people["Tom Wu"], "product_id": "com.hobbyist.bookingapp.credits.explorer",
        "store": "app_store",
    })
    studio.call("POST", "/receipts", {"store": "app_store", "signed_transaction": sold["signed_transaction"]},
                token=studio.tokens[studio.people["Tom Wu"]])
    psql("SELECT wallet.refresh_reports();")
    sign_in(demo)

    demo.page.reload()
    demo.picture("console-day")
    task = Task(demo, "\"I lost 20 credits\", by name, to the reason in the timeline")
    search(task, studio.mark)
    arrives(demo, f"Rosa {studio.mark.title()}")
    expect(page.get_by_role("row").filter(has_text=f"booked {wheel}")).to_contain_text("−20 credits")
    task.end()

    page.goto(f"{demo.base}/console")
    task = Task(demo, "give 5 credits back, from the first page")
    search(task, studio.mark)
    arrives(demo, f"Rosa {studio.mark.title()}")
    task.press("a")
    expect(page.get_by_label("Amount")).to_be_focused()
    task.type("5")
    task.press("Tab")
    task.type("fix")
    task.press("Enter")
    expect(page.get_by_role("button", name="Confirm")).to_be_focused()
    task.press("Enter")
    arrives(demo, "Balance updated: 40 → 45 credits")
    task.end()
    assert task.keys <= 12, f"{task.keys} key presses"
    # Back leads to the page before the form, with the new balance, and nothing is sent again.
    page.go_back()
    arrives(demo, f"Rosa {studio.mark.title()}")
    expect(page.locator(".balance")).to_contain_text("45 credits")

    page.goto(f"{demo.base}/console")
    task = Task(demo, "who comes tonight")
    task.click(page.get_by_role("link", name=wheel))
    arrives(demo, wheel)
    expect(page.get_by_role("row").filter(has_text="Tom Wu")).to_be_visible()
    task.end()
    demo.accessible("a class with its roster")
    demo.picture("console-class")

    task = Task(demo, "mark 12 people as attended, and one of them as a no-show")
    task.press("m")
    arrives(demo, "Mark the attendance")
    expect(page.get_by_role("button", name="Preview")).to_be_focused()
    task.press("Enter")
    expect(page.get_by_role("button", name="Confirm")).to_be_focused()
    task.press("Enter")
    arrives(demo, "Attendance marked")
    expect(page.get_by_role("link", name="Open the class")).to_be_focused()
    task.press("Enter")
    arrives(demo, wheel)
    expect(page.get_by_role("cell", name="attended", exact=True)).to_have_count(12)
    task.click(page.get_by_role("row").filter(has_text="Ivan Petrov").get_by_role("link", name="No-show"))
    expect(page.get_by_role("button", name="Preview")).to_be_focused()
    task.press("Enter")
    expect(page.get_by_role("button", name="Confirm")).to_be_focused()
    task.press("Enter")
    arrives(demo, "Attendance marked")
    task.press("Enter")
    arrives(demo, wheel)
    expect(page.get_by_role("row").filter(has_text="Ivan Petrov")).to_contain_text("no-show")
    task.end()

    glaze = f"Glaze {studio.tag}"
    late = studio.put_class(glaze, 150, credits=5)
    studio.book(late)
    page.goto(f"{demo.base}/console")
    task = Task(demo, "cancel tonight's class and give each of 12 people 3 credits")
    task.click(page.get_by_role("link", name=glaze))
    arrives(demo, glaze)
    task.click(page.get_by_role("link", name="Cancel the class"))
    expect(page.get_by_label("Reason")).to_be_focused()
    task.type("kiln broken")
    task.press("Enter")
    expect(page.get_by_text("Bookings that return everything")).to_be_visible()
    task.press("Enter")
    arrives(demo, "Class cancelled")
    task.press("Enter")
    arrives(demo, glaze)
    task.press("c")
    expect(page.get_by_label("Amount for each member")).to_be_focused()
    task.type("3")
    task.tab_to("reason")
    task.type("sorry")
    task.press("Enter")
    expect(page.get_by_role("button", name="Confirm")).to_be_focused()
    task.press("Enter")
    arrives(demo, "Compensated: 12 users, 36 credits")
    task.end()
    demo.picture("console-compensated")

    task = Task(demo, "this month's revenue")
    task.press("g", "t")
    arrives(demo, "Today")
    expect(page.get_by_role("heading", name="Money")).to_be_visible()
    expect(page.get_by_role("row").filter(has_text="This month").or_(page.get_by_text("No sales this month"))) \
        .to_be_visible()
    task.end()

    page.goto(f"{demo.base}/console/list/series")
    task = Task(demo, "a weekly class for three months")
    task.press("n")
    expect(page.get_by_label("Title")).to_be_focused()
    task.type("Yoga " + studio.tag)
    task.press("Tab", "Space")
    task.click(page.get_by_label("Starts", exact=True))
    task.type("0700PM")
    page.get_by_label("Length in minutes").focus()
    task.press("Tab")
    page.get_by_label("Length in minutes").fill("60")
    task.keys += 2
    day = studio.now().date()
    page.get_by_label("From", exact=True).fill(day.isoformat())
    task.keys += 8
    page.get_by_label("Seats", exact=True).fill("12")
    task.keys += 2
    page.get_by_label("Price in credits").fill("20")
    task.keys += 2
    page.get_by_label("Reason").fill("autumn")
    task.keys += 6
    task.press("Enter")
    expect(page.get_by_role("button", name="Confirm")).to_be_focused()
    expect(page.get_by_text("Classes created")).to_be_visible()
    demo.picture("console-series-preview")
    task.press("Enter")
    arrives(demo, "Series saved")
    task.end()


def check_layout(demo, path):
    demo.page.goto(f"{demo.base}/console{path}")
    expect(demo.page.locator("h1")).to_be_visible()
    for width, height in WIDTHS:
        demo.page.set_viewport_size({"width": width, "height": height})
        for scheme in ["light", "dark"]:
            demo.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            demo.fits()
            hidden = demo.page.evaluate(OFF_SCREEN)
            assert not hidden, f"{path} at {width} pixels, off-screen: {hidden}"
            if (width, scheme) in [(1280, "light"), (390, "dark")]:
                demo.accessible(f"{path} at {width} pixels, {scheme}")


def console_layouts(demo):
    """Every page fits at three widths in both schemes, without rows, with some, and with thousands."""
    sign_in(demo)
    studio = Studio(demo)
    empty = studio.put_class(f"Empty {studio.tag}", 200)
    check_layout(demo, f"/class?class_id={empty}")
    studio.welcome()
    one = studio.put_class(f"One {studio.tag}", 45, credits=1)
    studio.book(one, ["Miriam כהן"])
    check_layout(demo, f"/class?class_id={one}")
    full = studio.put_class("A class with a title that goes on and on, as titles of workshops with two teachers do", 160)
    studio.book(full)
    check_layout(demo, f"/class?class_id={full}")
    for name in list(studio.people)[:4]:
        check_layout(demo, f"/user?user_id={studio.people[name]}")
    check_layout(demo, "?text=Fern%C3%A1ndez")
    psql(
        """
        INSERT INTO wallet.profiles (account_id, name, name_source)
        SELECT wallet.account_for('many-' || n), 'Many ' || repeat('long ', n % 12) || n, 'import'
        FROM generate_series(1, 5000) AS n;
        INSERT INTO wallet.holidays (on_date, name)
        SELECT DATE '2040-01-01' + n, 'day ' || n FROM generate_series(1, 5000) AS n;
        """
    )
    for path in PAGES + ["/list/users", "/list/users?q=many", "/list/compensations", "/list/policies"]:
        check_layout(demo, path)
    demo.page.goto(f"{demo.base}/console/list/users?q=many")
    expect(demo.page.get_by_role("link", name="Next page")).to_be_visible()
    for path, name in [("", "today"), (f"/class?class_id={full}", "class"), ("/list/classes", "classes"),
                       (f"/user?user_id={studio.people['Tom Wu']}", "user")]:
        demo.page.goto(f"{demo.base}/console{path}")
        for width, height in WIDTHS:
            demo.page.set_viewport_size({"width": width, "height": height})
            for scheme in ["light", "dark"]:
                demo.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                demo.picture(f"layout-{name}-{width}-{scheme}")


ALL = [console_day, console_layouts]
