"""The HTML report in a real browser: it filters, it expands, and its console stays empty."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from replay.diff import Diff
from replay.finding import Finding
from replay.outcome import Outcome
from replay.report import html
from replay.revision import Revision
from tests.core.render.compilers import missing

COUNT = 1200
PAGE = 200
REVISION = Revision("main", "c" * 40, "1" * 40, Path())
HOSTILE = "</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    chromium, driver = shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        missing("Chromium and its driver were not found: apt-get install chromium chromium-driver")
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = str(chromium)
    for argument in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-first-run",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(driver)))
    yield started
    started.quit()


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    diff = Diff(REVISION, REVISION, ["captures/a.db"], records=COUNT)
    diff.findings = [
        Finding(
            record=f"{number:032x}",
            name=HOSTILE if number == 7 else f"r_{number}",
            backend="cuda" if number % 3 else "c",
            mode="free",
            outcome=Outcome.CHANGED,
            provenance=[f"asts.txt:{number}"],
            kind="unverified",
            cluster=f"{number % 5:012x}",
            diff=f"--- base\n+++ head\n@@ -1 +1 @@\n void k() {{\n-x = {number}; // {HOSTILE}\n+x = {number}+1;\n }}",
        )
        for number in range(COUNT)
    ]
    diff.findings[50] = replace(diff.findings[50], diff="@@ too long to compare line by line @@")
    lines = "\n".join(f"-old {number}\n+new {number}" for number in range(1500))
    diff.findings[51] = replace(diff.findings[51], diff=f"--- base\n+++ head\n@@ -1 +1 @@\n{lines}")
    for finding in diff.findings:
        diff.count(finding.backend, finding.outcome)
    file = tmp_path_factory.mktemp("report") / "replay.html"
    file.write_text(html.render(diff), encoding="utf-8")
    browser.get(file.as_uri())
    return browser


def entries(page: Any) -> list[Any]:
    return list(page.find_elements("css selector", "#results details"))


def choose(page: Any, name: str, value: str) -> None:
    script = (
        "const e = document.getElementById(arguments[0]); e.value = arguments[1]; e.dispatchEvent(new Event('input'))"
    )
    page.execute_script(script, name, value)


def status(page: Any) -> str:
    return str(page.find_element("id", "count").text)


def test_it_shows_the_results_a_page_at_a_time(page: Any) -> None:
    assert page.find_element("id", "verdict").text == f"changed: {COUNT} changed"
    assert (status(page), len(entries(page))) == (f"{COUNT} of {COUNT} results", 200)
    page.find_element("id", "more").click()
    assert len(entries(page)) == 400


def test_it_filters(page: Any) -> None:
    choose(page, "by-backend", "c")
    assert status(page) == f"{COUNT // 3} of {COUNT} results"
    choose(page, "by-cluster", f"{0:012x}")
    assert status(page) == f"{COUNT // 15} of {COUNT} results"
    choose(page, "by-text", "asts.txt:1185")
    assert status(page) == f"1 of {COUNT} results"
    page.find_element("css selector", "#filters button[type=reset]").click()
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert status(page) == f"{COUNT} of {COUNT} results"
    page.find_element("css selector", "#clusters button").click()
    assert status(page) == f"{COUNT // 5} of {COUNT} results"
    page.find_element("css selector", "#clusters button").click()


def test_it_expands_to_both_sides(page: Any) -> None:
    choose(page, "by-text", "r_42")
    first = entries(page)[0]
    first.find_element("tag name", "summary").click()
    page.execute_async_script("setTimeout(arguments[0], 50)")
    assert first.find_element("css selector", ".diff .old").text == f"x = 42; // {HOSTILE}"
    assert first.find_element("css selector", ".diff .new").text == "x = 42+1;"
    assert "from asts.txt:42" in first.text


def opened(page: Any, name: str) -> Any:
    choose(page, "by-text", f"asts.txt:{name}")
    entry = entries(page)[0]
    entry.find_element("tag name", "summary").click()
    page.execute_async_script("setTimeout(arguments[0], 50)")
    return entry


def test_a_diff_that_is_one_remark_is_shown(page: Any) -> None:
    assert opened(page, "50").find_element("css selector", ".diff").text == "@@ too long to compare line by line @@"


def test_a_long_diff_is_drawn_a_part_at_a_time(page: Any) -> None:
    entry = opened(page, "51")
    more = entry.find_element("css selector", ".body button")
    assert more.text == "1001 more lines"
    assert len(entry.find_elements("css selector", ".diff .old")) == 1000
    more.click()
    assert len(entry.find_elements("css selector", ".diff .old")) == 1500
    assert not more.is_displayed()


def test_it_is_used_by_keyboard(page: Any) -> None:
    choose(page, "by-text", "")
    body = page.find_element("tag name", "body")
    page.execute_script("document.activeElement.blur()")
    body.send_keys("jj")
    assert page.switch_to.active_element.text == entries(page)[1].find_element("tag name", "summary").text
    page.execute_script("document.activeElement.blur()")
    body.send_keys("j" * (PAGE + 1))  # past the end of what is drawn
    assert len(entries(page)) == 2 * PAGE
    body.send_keys("/")
    assert page.switch_to.active_element.get_attribute("id") == "by-text"


def test_it_has_a_light_and_a_dark_side(page: Any) -> None:
    colours = set()
    for _ in range(2):
        page.find_element("id", "theme").click()
        colours.add(page.execute_script("return getComputedStyle(document.body).backgroundColor"))
    assert len(colours) == 2


def test_hostile_names_are_text_and_the_console_is_empty(page: Any) -> None:
    choose(page, "by-text", "onerror")
    assert HOSTILE in entries(page)[0].text
    assert page.find_elements("tag name", "img") == []
    assert page.get_log("browser") == []
