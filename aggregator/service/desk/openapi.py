"""The description of the API (OpenAPI 3.1), made from the tables of pages and acts."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, get_type_hints

import msgspec

from aggregator.service.desk.frame import Act, Page
from aggregator.version import VERSION

ROOT: Final = "/api"
"""The path of the API."""

_ABOUT: Final = (
    "Look at feeds and correct them, as a person does at the desk: a GET answers what a page of the desk shows, a POST "
    "does what a form of it does."
)
_NAMES: Final = {
    "feed": "The name of a feed.",
    "source": "The name of a source of the feed.",
    "number": "The number of a command that was started.",
}
_PROBLEMS: Final = {
    "401": "The token is missing or wrong.",
    "403": "The API is closed, or the request is of another site.",
    "404": "There is no such thing.",
    "409": "Something else was decided meanwhile, or too much is under way.",
    "422": "It cannot be done as it was asked.",
    "429": "Too many wrong tokens.",
    "503": "The store cannot be read now.",
}
_PROBLEMS_OF_ACTS: Final = {
    "400": "The body cannot be read.",
    "413": "The body is too large.",
    "415": "The body is no JSON.",
}
_SCHEMAS: Final = "#/components/schemas/"


def describe(pages: Iterable[Page], acts: Iterable[Act], done: type, problem: type) -> Mapping[str, Any]:
    """Return the description; ``done`` is what acts answer, ``problem`` what errors do."""
    pages = tuple(pages)
    kinds = [get_type_hints(page.gather)["return"] for page in pages]
    references, schemas = _make_schemas([*kinds, done, problem])
    paths: dict[str, dict[str, Any]] = {}
    for page, reference in zip(pages, references, strict=False):
        answers = {"200": _make_answer("What the page shows.", reference), **_refer(_PROBLEMS)}
        paths.setdefault(ROOT + page.path, {})["get"] = _describe("get", page, page.gather, answers)
    for act in acts:
        answers = {
            "200": _make_answer("It is done.", references[-2]),
            "202": _make_answer("A command runs.", references[-2]),
            **_refer(_PROBLEMS_OF_ACTS),
            **_refer(_PROBLEMS),
        }
        operation = _describe("post", act, act.do, answers) | {"requestBody": _make_body(act)}
        paths.setdefault(ROOT + act.path, {})["post"] = operation
    return {
        "openapi": "3.1.0",
        "info": {"title": "Aggregator", "version": VERSION, "description": _ABOUT},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "responses": {
                code: _make_answer(text, references[-1], "application/problem+json")
                for code, text in {**_PROBLEMS, **_PROBLEMS_OF_ACTS}.items()
            },
            "schemas": schemas,
        },
    }


def _make_schemas(kinds: Sequence[type]) -> tuple[Sequence[Any], dict[str, Any]]:
    """Return references to the schemas of these kinds, and all schemas, named without module and underscore."""
    made = msgspec.json.schema_components(kinds, ref_template=f"{_SCHEMAS}{{name}}")
    shorten = partial(re.sub, r"(?:aggregator\.service\.desk\.)?\b_(?=[A-Z])|aggregator\.service\.desk\.", "")
    references, schemas = json.loads(shorten(json.dumps(made)))
    for schema in schemas.values():
        schema["description"] = inspect.cleandoc(schema.get("description", ""))
    return references, schemas


def _describe(
    method: str, thing: Page | Act, function: Callable[..., object], answers: Mapping[str, Any]
) -> dict[str, Any]:
    """Return an operation; its summary is the first line of its function's docstring."""
    return {
        "operationId": "_".join([method, *re.findall(r"\w+", thing.path)]),
        "summary": inspect.cleandoc(function.__doc__ or "").partition("\n")[0],
        "parameters": list(_list_parameters(thing)),
        "responses": answers,
    }


def _list_parameters(thing: Page | Act) -> Iterator[dict[str, Any]]:
    for name in re.findall(r"{(\w+)}", thing.path):
        yield _make_parameter("path", name, _NAMES[name], required=True)
    for name, text in ({**thing.needs, **thing.takes} if isinstance(thing, Page) else {}).items():
        yield _make_parameter("query", name, text, required=name in thing.needs)


def _make_parameter(place: str, name: str, text: str, *, required: bool) -> dict[str, Any]:
    return {"name": name, "in": place, "required": required, "description": text, "schema": {"type": "string"}}


def _make_answer(text: str, reference: object, media_type: str = "application/json") -> dict[str, Any]:
    return {"description": text, "content": {media_type: {"schema": reference}}}


def _refer(problems: Iterable[str]) -> dict[str, Any]:
    return {code: {"$ref": f"#/components/responses/{code}"} for code in problems}


def _make_body(act: Act) -> dict[str, Any]:
    """Return the body of an act: a JSON object of texts."""
    fields = {**act.needs, **act.takes}
    others = fields.pop("*", None)
    schema = {
        "type": "object",
        "properties": {name: {"type": "string", "description": text} for name, text in fields.items()},
        "required": list(act.needs),
        "additionalProperties": {"type": "string", "description": others} if others else False,
    }
    return {"required": bool(act.needs), "content": {"application/json": {"schema": schema}}}
