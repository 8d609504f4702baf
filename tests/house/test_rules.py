"""The house rules that a machine can check."""

import ast
import re
import subprocess
import sys
from functools import cache
from itertools import pairwise
from pathlib import Path

import grimp

from tests.support.paths import ROOT

PACKAGE = ROOT / "aggregator"
FILES = sorted(PACKAGE.rglob("*.py"))
LEFT = ("TYPE_CHECKING", "TODO", "FIXME", "NotImplementedError")
SCREEN = 60  # lines of a function
CHAIN = 14  # modules that import each other in turn

# Where each package may be imported: one file, or one room where the reason stands in docs/architecture.md.
PLACES = {
    "apprise": {"notify.py"},
    "apscheduler": {"service/scheduler.py"},
    "dateutil": {"text/times/dates.py"},
    "feedparser": {"fetchers/feeds/tolerant.py"},
    "requests": {"fetchers/http/"},
    "protego": {"fetchers/http/robots.py"},
    "regex": {"merger/patterns.py", "text/mojibake/"},
    "sqlalchemy": {"store/"},
    "feedgen": {"generator/"},
    "ftfy": {"text/"},
    "wordfreq": {"text/", "merger/"},
    "jmespath": {"fetchers/directories/json_paths.py"},
    "nh3": {"generator/"},
    "jinja2": {"generator/pages/pages.py", "service/desk/filters.py"},
    "yaml": {"config/parse.py", "config/change.py"},
    "pydantic": {"config/"},
    "typer": {"cli.py", "commands/"},
    "rich": {"commands/"},
    "starlette": {"service/", "commands/serve.py"},
    "uvicorn": {"service/"},
    "segno": {"generator/"},
    "numpy": {"merger/", "text/word_frequencies.py"},
    "readability": {"fetchers/full_text.py"},
    "obstore": {"generator/storage/bucket.py"},
}


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(read(path)[2]):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.partition(".")[0])
    return names


def test_no_chain_of_imports_is_long() -> None:
    graph = grimp.build_graph("aggregator", cache_dir=None)

    @cache
    def find_chain(module: str) -> tuple[str, ...]:
        after = map(find_chain, graph.find_modules_directly_imported_by(module))
        return (module, *max(after, key=len, default=()))

    longest = max(map(find_chain, graph.modules), key=len)
    assert len(longest) <= CHAIN, longest


def test_imports_go_down_only() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    result = subprocess.run([tool], cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout


@cache
def read(path: Path) -> tuple[str, str, ast.Module]:
    text = path.read_text("utf-8")
    return str(path.relative_to(PACKAGE)), text, ast.parse(text)


def functions(tree: ast.Module) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def test_every_file_says_what_it_is() -> None:
    assert [name for name, _, tree in map(read, FILES) if not ast.get_docstring(tree)] == []


def test_a_function_fits_a_screen() -> None:
    long = []
    for name, _, tree in map(read, FILES):
        long += [f"{name}: {node.name}" for node in functions(tree) if (node.end_lineno or 0) - node.lineno > SCREEN]
    assert long == []


def test_a_public_function_is_used_by_another_file() -> None:
    folders = (PACKAGE, ROOT / "tests", ROOT / "evaluation", ROOT / "benchmarks")
    words = {path: set(re.findall(r"\w+", path.read_text("utf-8"))) for each in folders for path in each.rglob("*.py")}
    alone = [
        f"{name}: {function.name}"
        for path in FILES
        for name, _, tree in [read(path)]
        for function in tree.body
        if isinstance(function, ast.FunctionDef) and not function.name.startswith("_")
        if not any(function.name in found for other, found in words.items() if other != path)
    ]
    assert alone == []


def test_each_package_is_imported_where_it_lives() -> None:
    astray = []
    for path in FILES:
        name = str(path.relative_to(PACKAGE))
        given = imported(path) & PLACES.keys()
        astray += [f"{package} in {name}" for package in given if not name.startswith(tuple(PLACES[package]))]
    assert astray == []


def test_nothing_is_caught_or_left_that_should_not_be() -> None:
    found = []
    for name, text, _ in map(read, FILES):
        if re.search(r"except (Exception|BaseException)?\s*:", text):
            found.append(f"{name}: catches everything")
        found += [
            f"{name}: {word}" for word in ("TYPE_CHECKING", "TODO", "FIXME", "NotImplementedError") if word in text
        ]
    assert found == []


def test_decoders_are_made_by_one_thread_at_a_time() -> None:
    pattern = re.compile(r"\bjson\.Decoder\(|\bmsgpack\.Decoder\(|\bconvert\(.*, [A-Z]")
    found = [name for name, text, _ in map(read, FILES) if pattern.search(text) and name != "model/record.py"]
    assert found == []


def test_no_group_repeats_possessively() -> None:
    # CPython 3.11.0 to 3.11.4 keep half of a failed repetition (python/cpython#106052), later ones miscount the groups
    # in it (#101955); "(?>(?:...)*)" says the same and is right everywhere.
    possessive = r"(?<!\()\)(?:[*+?]|\{\d*,?\d*\})\+"
    assert [name for name, text, _ in map(read, FILES) if re.search(possessive, text)] == []


def test_no_child_process_imports_from_the_current_folder() -> None:
    # "-P", or PYTHONSAFEPATH where another module writes the command line: else Python looks there first.
    found = []
    for name, text, tree in map(read, FILES):
        commands = [node.elts for node in ast.walk(tree) if isinstance(node, ast.List | ast.Tuple)]
        words = [[ast.unparse(word) for word in elements] for elements in commands]
        safe = sum(word == "sys.executable" and after == "'-P'" for each in words for word, after in pairwise(each))
        if text.count("sys.executable") != safe:
            found.append(f"{name}: sys.executable without -P")
        if re.search(r"\b(multiprocessing|ProcessPoolExecutor)\b", text) and 'os.environ["PYTHONSAFEPATH"]' not in text:
            found.append(f"{name}: processes without PYTHONSAFEPATH")
    assert found == []


def test_no_docstring_begins_with_a_question_word() -> None:
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    assert [
        f"{name}: {text.splitlines()[0]}"
        for name, _, tree in map(read, FILES)
        for node in ast.walk(tree)
        if isinstance(node, documented)
        and re.match(r"(What|Whether|Which|Whom?|How|When|Where|Why)\b", text := ast.get_docstring(node) or "")
    ] == []


def test_an_init_holds_one_docstring_and_nothing_else() -> None:
    trees = [(name, tree) for name, _, tree in map(read, sorted(PACKAGE.rglob("__init__.py")))]
    assert [name for name, tree in trees if len(tree.body) != 1 or not ast.get_docstring(tree)] == []
