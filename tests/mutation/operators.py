# SPDX-License-Identifier: GPL-2.0
"""The small changes of one C function: a flipped sign, a deleted statement, a forced condition."""

from __future__ import annotations

import re

from mutation.finder import Finder, Node, Place, checked_value, inner, text_of

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
# The order of their arguments does not matter.
SYMMETRIC = re.compile(r'(pte|pmd)_same|min|max')
INTEGER = re.compile(r'(0[xX][0-9a-fA-F]+|[0-9]+)([uUlL]*)')
ZEROES = ('0', 'NULL', 'false')


class Operators(Finder):
    """All small changes of one function."""

    # Operators.

    def _binary_expression(self, node: Node, where: Place) -> None:
        operator = node.child_by_field_name('operator')
        if operator and (text := text_of(operator)) in BINARY:
            for new in BINARY[text]:
                self._add(KIND[text], operator, new, where)
            if text in ('&&', '||'):
                for side in (node.child_by_field_name('left'), node.child_by_field_name('right')):
                    if side and not self._is_logical(side):
                        self._add('condition forced', side, '1' if text == '&&' else '0', where)
                        self._negate(side, where)

    @staticmethod
    def _is_logical(node: Node) -> bool:
        node = checked_value(node)
        operator = node.child_by_field_name('operator') if node.type == 'binary_expression' else None
        return operator is not None and text_of(operator) in ('&&', '||')

    def _negate(self, node: Node, where: Place) -> None:
        """Add a negation to a condition that has no operator of its own whose change would do the same."""
        node = checked_value(node)
        if node.type in ('identifier', 'call_expression', 'field_expression', 'subscript_expression'):
            self._add('negation added', node, f'!({text_of(node)})', where)
        elif node.type == 'binary_expression' and (operator := node.child_by_field_name('operator')):
            if KIND.get(text_of(operator)) in ('bitwise', 'arithmetic'):
                self._add('negation added', node, f'!({text_of(node)})', where)

    def _unary_expression(self, node: Node, where: Place) -> None:
        argument = node.child_by_field_name('argument')
        operator = text_of(node.children[0])
        if argument and operator == '!':
            self._add('negation dropped', node, f'!!({text_of(argument)})', where)
        elif argument and operator in ('~', '-'):
            self._add('bitwise' if operator == '~' else 'arithmetic', node, f'({text_of(argument)})', where)

    def _assignment_expression(self, node: Node, where: Place) -> None:
        operator = node.child_by_field_name('operator')
        if operator and (new := ASSIGNMENT.get(text_of(operator))):
            self._add('assignment', operator, new, where)

    def _update_expression(self, node: Node, where: Place) -> None:
        for child in node.children:
            if new := STEP.get(text_of(child)):
                self._add('increment', child, new, where)

    def _number_literal(self, node: Node, where: Place) -> None:
        if match := INTEGER.fullmatch(text_of(node)):
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
        tested = inner(condition)
        where = (tested.start_byte, tested.end_byte, 'value')
        for value in values:
            if text_of(tested) != value:
                self._add('condition forced', tested, value, where)
        self._negate(tested, where)

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
                self._add('condition forced', inner(condition), value, where)
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
        if text_of(value) not in ZEROES:
            self._add('returned value', value, '0', where)
        if not INTEGER.fullmatch(text_of(value)) and text_of(value) not in ('true', 'false'):
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
        if not function or not arguments or SYMMETRIC.fullmatch(text_of(function)) or arguments.has_error:
            return
        given = [child for child in arguments.named_children if child.type != 'comment']
        for left, right in zip(given, given[1:]):
            first, second = text_of(left), text_of(right)
            if first != second and not (left.type == right.type == 'number_literal'):
                # Only arguments of one type: for others, the assertion stops the compiler.
                middle = self.text[left.end_byte:right.start_byte].decode()
                self._add('arguments swapped', left, f'PTEBATCH_INSTEAD({first}, {second}){middle}{first}', where,
                          end=right, shown=f'{second}{middle}{first}')
