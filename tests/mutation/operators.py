# SPDX-License-Identifier: GPL-2.0
"""The mutation operators: all small changes of one C function, found in its syntax tree."""

from __future__ import annotations

import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

# What replaces a binary operator.
BINARY = {
    '<': ('<=', '>='), '<=': ('<', '>'), '>': ('>=', '<='), '>=': ('>', '<'), '==': ('!=',), '!=': ('==',),
    '+': ('-',), '-': ('+',), '*': ('/',), '/': ('*',), '%': ('/',), '<<': ('>>',), '>>': ('<<',),
    '&': ('|',), '|': ('&',), '^': ('&',), '&&': ('||',), '||': ('&&',),
}
KIND = {
    **dict.fromkeys(('<', '<=', '>', '>=', '==', '!='), 'relational'),
    **dict.fromkeys(('+', '-', '*', '/', '%', '<<', '>>'), 'arithmetic'),
    **dict.fromkeys(('&', '|', '^'), 'bitwise'), **dict.fromkeys(('&&', '||'), 'logical'),
}
ASSIGNMENT = {'+=': '-=', '-=': '+=', '*=': '/=', '/=': '*=', '|=': '&=', '&=': '|=', '<<=': '>>=', '>>=': '<<=', '^=': '|='}
STEP = {'++': '--', '--': '++'}
JUMPS = {'break_statement': 'continue', 'continue_statement': 'break'}
LOOPS = ('for_statement', 'while_statement', 'do_statement')
# Statements without which nothing of the result differs: they check the kernel, hint the compiler or the CPU, or wait.
NO_EFFECT = re.compile(r'(VM_)?(WARN|BUG)_ON|VM_WARN|BUILD_BUG|lockdep_|might_|cond_resched|prefetch|trace_|count_|pr_|\w*assert')
# The order of their arguments does not matter.
SYMMETRIC = re.compile(r'(pte|pmd)_same|min|max')
INTEGER = re.compile(r'(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)')
ATTRIBUTE = re.compile(rb'\b(__always_inline|__must_check|__maybe_unused|noinline\w*|__init|__ref|__sched)\b')
ZEROES = ('0', 'NULL', 'false')


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


def find(node: Node, kind: str) -> Node | None:
    """The first node of a kind, outermost first."""
    if node.type == kind:
        return node
    for child in node.named_children:
        if found := find(child, kind):
            return found
    return None


def _text(node: Node) -> str:
    assert node.text is not None
    return node.text.decode()


def _inner(node: Node) -> Node:
    """The expression within parentheses."""
    while node.type == 'parenthesized_expression' and node.named_child_count == 1:
        node = node.named_children[0]
    return node


def _checked_value(node: Node) -> Node:
    """The condition in likely(), unlikely()."""
    node = _inner(node)
    if node.type == 'call_expression' and _text(node.child_by_field_name('function') or node) in ('likely', 'unlikely'):
        arguments = node.child_by_field_name('arguments')
        if arguments and arguments.named_child_count == 1:
            return _checked_value(arguments.named_children[0])
    return node


class Operators:
    """All changes of one function."""

    def __init__(self, text: bytes):
        self.text = text
        self.found: list[Change] = []
        root = parse(text)
        body = find(root, 'compound_statement')
        if body:
            self._walk(body, (body.start_byte, body.end_byte, ''))

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
        if parent and parent.type in ('compound_statement', 'case_statement', 'labeled_statement') and (
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
                inside = (_inner(child).start_byte, _inner(child).end_byte, 'value')
            self._walk(child, inside)

    @staticmethod
    def _no_effect(node: Node) -> bool:
        call = node.named_children[0] if node.type == 'expression_statement' and node.named_children else None
        function = call.child_by_field_name('function') if call else None
        return function is not None and NO_EFFECT.match(_text(function)) is not None

    def _nothing(self, node: Node, where: Place) -> None:
        pass

    # Operators.

    def _binary_expression(self, node: Node, where: Place) -> None:
        operator = node.child_by_field_name('operator')
        if operator and (text := _text(operator)) in BINARY:
            for new in BINARY[text]:
                self._add(KIND[text], operator, new, where)
            if text in ('&&', '||'):
                for side in (node.child_by_field_name('left'), node.child_by_field_name('right')):
                    if side and not self._is_logical(side):
                        self._add('condition forced', side, '1' if text == '&&' else '0', where)
                        self._negate(side, where)

    @staticmethod
    def _is_logical(node: Node) -> bool:
        node = _checked_value(node)
        operator = node.child_by_field_name('operator') if node.type == 'binary_expression' else None
        return operator is not None and _text(operator) in ('&&', '||')

    def _negate(self, node: Node, where: Place) -> None:
        """Add a negation to a condition that has no operator of its own whose change would do the same."""
        node = _checked_value(node)
        if node.type in ('identifier', 'call_expression', 'field_expression', 'subscript_expression'):
            self._add('negation added', node, f'!({_text(node)})', where)
        elif node.type == 'binary_expression' and (operator := node.child_by_field_name('operator')):
            if KIND.get(_text(operator)) in ('bitwise', 'arithmetic'):
                self._add('negation added', node, f'!({_text(node)})', where)

    def _unary_expression(self, node: Node, where: Place) -> None:
        argument = node.child_by_field_name('argument')
        operator = _text(node.children[0])
        if argument and operator == '!':
            self._add('negation dropped', node, f'!!({_text(argument)})', where)
        elif argument and operator in ('~', '-'):
            self._add('bitwise' if operator == '~' else 'arithmetic', node, f'({_text(argument)})', where)

    def _assignment_expression(self, node: Node, where: Place) -> None:
        operator = node.child_by_field_name('operator')
        if operator and (new := ASSIGNMENT.get(_text(operator))):
            self._add('assignment', operator, new, where)

    def _update_expression(self, node: Node, where: Place) -> None:
        for child in node.children:
            if new := STEP.get(_text(child)):
                self._add('increment', child, new, where)

    def _number_literal(self, node: Node, where: Place) -> None:
        if match := INTEGER.fullmatch(_text(node)):
            value = int(match[1], 0)
            for new in (value + 1, value - 1):
                if new >= 0:
                    self._add('constant', node, f'{new}{match[2]}', where)

    def _true(self, node: Node, where: Place) -> None:
        self._add('constant', node, 'false', where)

    def _false(self, node: Node, where: Place) -> None:
        self._add('constant', node, 'true', where)

    # Conditions.

    def _condition(self, node: Node, values: tuple[str, ...]) -> None:
        condition = node.child_by_field_name('condition')
        if not condition:
            return
        inner = _inner(condition)
        where = (inner.start_byte, inner.end_byte, 'value')
        for value in values:
            if _text(inner) != value:
                self._add('condition forced', inner, value, where)
        self._negate(inner, where)

    def _if_statement(self, node: Node, where: Place) -> None:
        self._condition(node, ('0', '1'))

    def _while_statement(self, node: Node, where: Place) -> None:
        self._condition(node, ('0',))

    def _do_statement(self, node: Node, where: Place) -> None:
        self._condition(node, ('0',))

    def _for_statement(self, node: Node, where: Place) -> None:
        self._condition(node, ('0',))

    def _conditional_expression(self, node: Node, where: Place) -> None:
        condition = node.child_by_field_name('condition')
        if condition:
            for value in ('0', '1'):
                self._add('condition forced', _inner(condition), value, where)
            self._negate(condition, where)

    # Statements.

    def _expression_statement(self, node: Node, where: Place) -> None:
        if not node.named_children:
            return
        expression = node.named_children[0]
        self._add('call deleted' if expression.type == 'call_expression' else 'statement deleted', node, ';', where)

    def _return_statement(self, node: Node, where: Place) -> None:
        if not node.named_children:
            self._add('jump deleted', node, ';', where)
            return
        value = node.named_children[0]
        if _text(value) not in ZEROES:
            self._add('returned value', value, '0', where)
        if not INTEGER.fullmatch(_text(value)) and _text(value) not in ('true', 'false'):
            self._add('returned value', value, '1', where)
        # At the end of a function, the value would be undefined.
        if node.parent and node.parent.parent and node.parent.parent.type != 'function_definition':
            self._add('jump deleted', node, ';', where)

    def _goto_statement(self, node: Node, where: Place) -> None:
        self._add('jump deleted', node, ';', where)

    def _jump(self, node: Node, where: Place) -> None:
        self._add('jump deleted', node, ';', where)
        # Outside of a loop the compiler refuses it: the grammar does not see the kernel's loop macros.
        self._add('jump exchanged', node, f'{JUMPS[node.type]};', where)

    def _break_statement(self, node: Node, where: Place) -> None:
        self._jump(node, where)

    def _continue_statement(self, node: Node, where: Place) -> None:
        self._jump(node, where)

    def _call_expression(self, node: Node, where: Place) -> None:
        function, arguments = node.child_by_field_name('function'), node.child_by_field_name('arguments')
        if not function or not arguments or SYMMETRIC.fullmatch(_text(function)) or arguments.has_error:
            return
        given = [child for child in arguments.named_children if child.type != 'comment']
        for left, right in zip(given, given[1:]):
            first, second = _text(left), _text(right)
            if first != second and not (left.type == right.type == 'number_literal'):
                # Only arguments of one type: for others, the assertion stops the compiler.
                middle = self.text[left.end_byte:right.start_byte].decode()
                self._add('arguments swapped', left, f'PTEBATCH_INSTEAD({first}, {second}){middle}{first}', where,
                          end=right, shown=f'{second}{middle}{first}')


def changes(text: bytes) -> list[Change]:
    """All changes of one function, in the order of its text."""
    return sorted(dict.fromkeys(Operators(text).found), key=lambda change: (change.start, change.end, change.operator, change.new))


def applied(text: bytes, change: Change) -> bytes:
    """The text with one change."""
    return text[:change.start] + change.new.encode() + text[change.end:]
