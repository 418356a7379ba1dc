# SPDX-License-Identifier: GPL-2.0
"""Find changes of one C function in its syntax tree, and where a case that reaches each of them is recorded."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

LOOPS = ('for_statement', 'while_statement', 'do_statement')
BLOCKS = ('compound_statement', 'case_statement', 'labeled_statement')
# Statements without which nothing of the result differs: they check the kernel, hint the compiler or the CPU, or wait.
NO_EFFECT = re.compile(r'(VM_)?(WARN|BUG)_ON|VM_WARN|BUILD_BUG|lockdep_|might_|cond_resched|prefetch|trace_|count_|pr_|\w*assert')
ATTRIBUTE = re.compile(rb'\b(__always_inline|__must_check|__maybe_unused|noinline\w*|__init|__ref|__sched)\b')


class Node(Protocol):
    """What is used of a node of tree-sitter's syntax tree."""

    type: str
    text: bytes | None
    start_byte: int
    end_byte: int
    parent: Node | None
    children: Sequence[Node]
    named_children: Sequence[Node]
    named_child_count: int
    is_named: bool
    is_missing: bool
    has_error: bool

    def child_by_field_name(self, name: str) -> Node | None: ...

    def field_name_for_child(self, index: int) -> str | None: ...


@dataclass(frozen=True)
class Change:
    """One change of the text of a function: bytes `start` to `end` become `new`.

    Whether a case reaches it is recorded at byte `place`: in a statement of its own before a statement, for `how`
    "statement"; also with braces around a single statement without, for "braces"; and for "value", in a condition
    that ends at byte `until`.
    """

    operator: str
    start: int
    end: int
    new: str
    place: int
    until: int
    how: str
    shown: str = ''     # for people, if `new` has what only the compiler needs


Place = tuple[int, int, str]    # the last three of a change


def blanked(text: bytes) -> bytes:
    """The text without preprocessor lines and attributes; all other bytes keep their places."""
    lines, continued = [], False
    for line in text.split(b'\n'):
        directive = continued or line.lstrip().startswith(b'#')
        continued = directive and line.endswith(b'\\')
        lines.append(b' ' * len(line) if directive else line)
    return ATTRIBUTE.sub(lambda match: b' ' * len(match[0]), b'\n'.join(lines))


def parse(text: bytes) -> Node:
    """The syntax tree of a function; the grammar ignores preprocessor lines."""
    # By name: host/wheels.py installs them later than this module is imported.
    tree_sitter, grammar = (importlib.import_module(name) for name in ('tree_sitter', 'tree_sitter_c'))
    root: Node = tree_sitter.Parser(tree_sitter.Language(grammar.language())).parse(blanked(text)).root_node
    return root


def every(node: Node, *kinds: str) -> Iterator[Node]:
    """All nodes of these kinds, in the order of the text."""
    if node.type in kinds:
        yield node
    for child in node.named_children:
        yield from every(child, *kinds)


def find(node: Node, kind: str) -> Node | None:
    """The first node of a kind, outermost first."""
    if node.type == kind:
        return node
    for child in node.named_children:
        if found := find(child, kind):
            return found
    return None


def text_of(node: Node) -> str:
    assert node.text is not None
    return node.text.decode()


def inner(node: Node) -> Node:
    """The expression within parentheses."""
    while node.type == 'parenthesized_expression' and node.named_child_count == 1:
        node = node.named_children[0]
    return node


def checked_value(node: Node) -> Node:
    """The condition in likely(), unlikely()."""
    node = inner(node)
    if node.type == 'call_expression' and text_of(node.child_by_field_name('function') or node) in ('likely', 'unlikely'):
        arguments = node.child_by_field_name('arguments')
        if arguments and arguments.named_child_count == 1:
            return checked_value(arguments.named_children[0])
    return node


class Finder:
    """The changes of one function; a subclass has a method for each kind of node that it changes."""

    def __init__(self, text: bytes):
        self.text = text
        self.found: list[Change] = []
        root = parse(text)
        self.definition = find(root, 'function_definition') or root
        body = find(root, 'compound_statement')
        if body:
            self._walk(body, (body.start_byte, body.end_byte, ''))

    def changes(self) -> list[Change]:
        """In the order of the text, each once."""
        return sorted(dict.fromkeys(self.found), key=lambda change: (change.start, change.end, change.operator, change.new))

    def _source(self, start: int, end: int) -> str:
        """The text between two places."""
        return self.text[start:end].decode()

    def _add(self, operator: str, node: Node, new: str, where: Place, end: Node | None = None, shown: str = '') -> None:
        stop = (end or node).end_byte
        # A preprocessor line inside: the change would join what the compiler sees separately.
        if where[2] and b'\n#' not in self.text[node.start_byte:stop]:
            self.found.append(Change(operator, node.start_byte, stop, new, *where, shown))

    def _walk(self, node: Node, where: Place) -> None:
        """Find the changes in a node; `where` is the place of the statement, or condition, around it."""
        if node.type == 'ERROR' or node.type.startswith('preproc') or node.type == 'comment' or self._no_effect(node):
            return
        parent = node.parent
        if parent and parent.type in BLOCKS and (
                node.type.endswith('_statement') or node.type == 'declaration'):
            # A loop or branch has places of its own for its conditions.
            where = (node.start_byte, node.end_byte, 'statement') if node.type != 'case_statement' else where
        elif parent and node.type.endswith('_statement') and node.type != 'compound_statement' and parent.type in (
                'if_statement', 'else_clause', *LOOPS):
            where = (node.start_byte, node.end_byte, 'braces')
        getattr(self, f'_{node.type}', self._nothing)(node, where)
        for index, child in enumerate(node.children):
            name = node.field_name_for_child(index)
            inside = where
            if node.type in LOOPS + ('if_statement',) and name in ('condition', 'update') and child.is_named:
                inside = (inner(child).start_byte, inner(child).end_byte, 'value')
            self._walk(child, inside)

    @staticmethod
    def _no_effect(node: Node) -> bool:
        call = node.named_children[0] if node.type == 'expression_statement' and node.named_children else None
        function = call.child_by_field_name('function') if call else None
        return function is not None and NO_EFFECT.match(text_of(function)) is not None

    def _nothing(self, node: Node, where: Place) -> None:
        pass


def applied(text: bytes, change: Change) -> bytes:
    """The text with one change."""
    return text[:change.start] + change.new.encode() + text[change.end:]
