"""Plays the lessons' steps in a window, as a student does: what tests/window/play_lessons and tests/web share.

A window has places() of its widgets, wait_for(), click() and scroll(), and a display that types, presses keys, holds a
modifier, acts as xdotool does, and gives pictures.
"""
import json
import re
import subprocess
import time

PATIENCE = 90  # Seconds for a run of a kernel and for a page.


class GoneWrong(Exception):
    """What a student could not do."""


class Page:
    """A step of a lesson on show in the window."""

    def __init__(self, window, slug, number):
        self.window, self.name = window, f"page {slug} {number}"
        window.wait_for(self.name)

    def box_of(self, name):
        """The part of the panel that the widget scrolls in: the open question's or the text's."""
        places = self.window.places()
        question = places.get("question")
        return question if question and places[name][1] >= question[1] else places[self.name]

    def hidden_below(self, name):
        """Pixels of the widget below what is seen of its part of the panel; negative: above."""
        _, top, _, height = self.box_of(name)
        _, y, _, extent = self.window.places()[name]
        return min(0, y - top) or max(0, y + extent - top - height)

    def show(self, name):
        self.window.wait_for(name)
        for _ in range(60):
            hidden = self.hidden_below(name)
            if hidden == 0:
                return
            self.window.scroll(self.box_of(name), hidden > 0)
        raise GoneWrong(f"{name} does not scroll into view")

    def click(self, name):
        self.show(name)
        self.window.click(name)


def number_text(value):
    return f"{value:.0f}" if value == int(value) else f"{value:.6g}"


def answer_number(page, question):
    page.window.display.type(number_text(question["answer"]["number"]))
    time.sleep(0.4)
    page.window.display.act("key", "Return")


def answer_choice(page, question, by_letter):
    letter = question["answer"]["choices"][0]
    if by_letter:
        page.window.display.act("key", letter)
    else:
        page.click(f"choice {letter}")


def lines_shown(window):
    """Where the lines of the program text are, by their number."""
    return {int(name[5:]): box for name, box in window.places().items() if re.fullmatch(r"line \d+", name)}


def show_line(window, line):
    """Scrolls the program text until the line and its neighbours are in it and stay where they are."""
    for _ in range(60):
        shown = lines_shown(window)
        if not shown:
            raise GoneWrong("no program text is on show")
        below, above = line + 1 > max(shown), line - 1 < min(shown) and min(shown) > 1
        if below or above:
            window.scroll(shown[sorted(shown)[len(shown) // 2]], below)
            continue
        time.sleep(0.5)
        if lines_shown(window) == shown:
            return
    raise GoneWrong(f"line {line} does not scroll into view")


def answer_click(page, question):
    answer, window = question["answer"], page.window
    if "lane" in answer:
        window.click(f"strip lane {answer['lane']}")
    elif "line" in answer:
        show_line(window, answer["line"])
        window.click(f"line {answer['line']}")
    else:
        click_cell(window, answer["array"], answer["row"], answer["column"])
    page.click("check answer")


def click_cell(window, array, row, column):
    for name, (x, y, width, height) in window.places().items():
        grid = re.fullmatch(rf"stage {array}\[(\d+)\]\[(\d+)\] (\d+) x (\d+)( across)?", name)
        if not grid:
            continue
        first_row, first_column, down_shown, across_shown = map(int, grid.groups()[:4])
        down, across = row - first_row, column - first_column
        if grid.group(5):  # Drawn transposed.
            down, across = across, down
        if 0 <= down < down_shown and 0 <= across < across_shown:
            place = (x + width * (across + 0.5) / across_shown, y + height * (down + 0.5) / down_shown)
            return window.display.act("mousemove", *map(int, place), "click", 1)
    raise GoneWrong(f"{array}[{row}][{column}] is not on the stage")


def without_remarks(source):
    """A kernel without the lines that only say what it is: less to type."""
    return "".join(line for line in source.splitlines(True) if not line.lstrip().startswith("//"))


def edit_source(window, text):
    window.click("code Edit")
    window.click("editor")
    time.sleep(0.5)
    window.display.hold("ctrl", "a")
    window.display.type(text)
    window.click("Run")
    window.click("Close")


def see_solution(page):
    """Of a task that needs a compiler, where there is none."""
    page.click("Show the answer")
    page.window.wait_for("question given up")
    page.click("Show its run")


def ask_to_do(page, question):
    answer, window = question["answer"], page.window
    for name, value in answer.get("settings", {}).items():
        window.click(f"parameter {name} {value}")
    if "file" in answer:
        edit_source(window, without_remarks(open(answer["file"]).read()))
    end = time.time() + PATIENCE
    while "question right" not in window.places() and time.time() < end:
        page.click("check answer")
        time.sleep(1)


def answer(page, question, number):
    kind = question["kind"]
    if "file" in question["answer"] and not page.window.compiles:
        return see_solution(page)
    if kind == "number":
        answer_number(page, question)
    elif kind == "choice":
        answer_choice(page, question, number % 2 == 0)
    elif kind == "click":
        answer_click(page, question)
    else:
        ask_to_do(page, question)
    said = page.window.wait_for("question right", "question wrong")
    if said != "question right":
        raise GoneWrong("the window says that it is wrong")


def keep_pictures(page, stem, first):
    """From what is seen now to the end of the text."""
    for number in range(first, 9):
        with open(f"{stem}-{number}.png", "wb") as file:
            file.write(page.window.display.picture())
        if first == 0 or page.hidden_below("page end") <= 1:
            return
        for _ in range(12):
            if page.hidden_below("page end") > 1:
                page.window.scroll(page.window.places()[page.name], True)


def play_step(window, lesson, index, folder):
    """What went wrong, else nothing."""
    step, number = lesson["steps"][index], index + 1
    stem = f"{folder}/{lesson['number']:02}-{number:02}"
    page = Page(window, lesson["slug"], number)
    problems = []

    def attempt(action, *arguments):
        try:
            action(page, *arguments)
        except GoneWrong as gone:
            problems.append(str(gone))

    attempt(keep_pictures, stem, 0)
    if "question" in step:
        attempt(answer, step["question"], number)
    attempt(keep_pictures, stem, 1)
    return "; ".join(problems)


def play_lesson(window, folder, lesson):
    """A row of the table for each step."""
    rows = []
    for index, step in enumerate(lesson["steps"]):
        problem = play_step(window, lesson, index, folder)
        question = step.get("question")
        rows.append((f"{lesson['number']}.{index + 1}", question["kind"] if question else "",
                     problem or ("right" if question else ""), question["answer"]["words"] if question else ""))
        print("{:6}{:12}{:8}{}".format(*rows[-1]), flush=True)
        window.click("next step")
    return rows


def lesson_texts(program, wanted):
    listed = json.loads(subprocess.run([program, "lesson", "list", "--json"], stdout=subprocess.PIPE, check=True).stdout)
    for name in wanted or [lesson["slug"] for lesson in listed["lessons"]]:
        command = [program, "lesson", "show", name, "--json", "--answers"]
        yield json.loads(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)


def summary(rows):
    """The sentence at the end, and whether all went well."""
    asked = [row for row in rows if row[1]]
    right = [row for row in asked if row[2] == "right"]
    return f"{len(right)} of {len(asked)} questions answered right, {len(rows)} steps", len(right) == len(asked)
