# SPDX-License-Identifier: GPL-2.0
"""The changes of one C function that people make by mistake: its operators are those that the kernel's fixes correct.

What does not compile is left out later: a sibling that does not exist, a variable of another type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from mutation.finder import LOOPS, Finder, Node, Place, every, inner, text_of

# Parts of the name of a function, each of which makes it the name of another one.
PARTS = (('anon', 'file'), ('inc', 'dec'), ('readable', 'writable'), ('set', 'mark'), ('young', 'dirty'), ('mkyoung', 'mkold'),
         ('mkdirty', 'mkclean'), ('mkwrite', 'wrprotect'), ('uffd', 'soft_dirty'), ('mkuffd', 'clear_uffd'),
         ('mksoft_dirty', 'clear_soft_dirty'), ('pte', 'pte_swp'), ('pmd', 'pmd_swp'), ('swapcache', 'swapbacked'), ('none', 'present'),
         ('mapcount', 'ref_count'), ('folio_nr_pages', 'folio_large_nr_pages'), ('first', 'last'), ('head', 'tail'), ('next', 'prev'),
         ('missing', 'minor'), ('active', 'referenced'), ('mkwrite', 'mkwrite_novma'), ('isolate', 'putback'), ('sub', 'add'),
         ('start', 'end'), ('read', 'write'), ('migration', 'device_private'))
# Names of which one is taken for another.
FAMILIES = (('MM_FILEPAGES', 'MM_ANONPAGES', 'MM_SHMEMPAGES', 'MM_SWAPENTS'),
            ('FPB_RESPECT_DIRTY', 'FPB_RESPECT_SOFT_DIRTY', 'FPB_RESPECT_WRITE', 'FPB_MERGE_WRITE', 'FPB_MERGE_YOUNG_DIRTY'),
            ('TTU_SYNC', 'TTU_SPLIT_HUGE_PMD', 'TTU_IGNORE_MLOCK', 'TTU_HWPOISON', 'TTU_BATCH_FLUSH', 'TTU_RMAP_LOCKED'),
            ('MM_CP_PROT_NUMA', 'MM_CP_UFFD_WP', 'MM_CP_UFFD_WP_RESOLVE', 'MM_CP_UFFD_RWP', 'MM_CP_UFFD_RWP_RESOLVE',
             'MM_CP_TRY_CHANGE_WRITABLE'),
            ('MM_CP_UFFD_WP_ALL', 'MM_CP_UFFD_WP'), ('MM_CP_UFFD_RWP_ALL', 'MM_CP_UFFD_RWP'),
            ('VM_READ', 'VM_WRITE', 'VM_EXEC', 'VM_SHARED', 'VM_MAYWRITE'), ('VM_LOCKED', 'VM_LOCKONFAULT'), ('VM_PFNMAP', 'VM_MIXEDMAP', 'VM_IO'),
            ('VM_UFFD_MISSING', 'VM_UFFD_WP', 'VM_UFFD_MINOR', 'VM_UFFD_RWP'),
            ('FAULT_FLAG_WRITE', 'FAULT_FLAG_UNSHARE'), ('RMAP_NONE', 'RMAP_EXCLUSIVE'),
            ('PTE_MARKER_UFFD_WP', 'PTE_MARKER_POISONED', 'PTE_MARKER_GUARD'), ('PVMW_SYNC', 'PVMW_MIGRATION'),
            ('NR_ANON_MAPPED', 'NR_FILE_MAPPED'), ('NR_FILE_PAGES', 'NR_SHMEM'), ('NR_SHMEM_THPS', 'NR_FILE_THPS', 'NR_ANON_THPS'),
            ('NR_SHMEM_PMDMAPPED', 'NR_FILE_PMDMAPPED'), ('NR_ISOLATED_ANON', 'NR_ISOLATED_FILE'), ('ACTION_CONTINUE', 'ACTION_AGAIN'),
            ('MADV_DONTNEED', 'MADV_DONTNEED_LOCKED', 'MADV_FREE'), ('MADV_COLD', 'MADV_PAGEOUT'), ('HPAGE_PMD_SIZE', 'PAGE_SIZE'),
            ('HPAGE_PMD_MASK', 'PAGE_MASK'), ('PGTABLE_LEVEL_PTE', 'PGTABLE_LEVEL_PMD'))
# Variables of one type that may be confused nevertheless: a number of bytes is no address.
ADDRESS = re.compile(r'(.*_)?(addr|address|start|end|next|haddr|hstart|hend|old_end|new_addr|old_addr)')
COUNT = re.compile(r'nr\w*|\w*_nr|max\w*|batch|count|ret|\w*pages\w*')
INTEGERS = ('int', 'unsigned int', 'long', 'unsigned long', 'unsigned', 'pgoff_t', 'size_t')
LOCK = re.compile(r'\b(?!\w*unlock|\w*locked)\w*(?:lock|lock_irq|trylock|lock_read|lock_write|lock_killable)\(')
LIMITS = ('min', 'max', 'min_t', 'max_t', 'min3', 'max3', 'umin', 'umax')
ENDS = re.compile(r'(pgd|p4d|pud|pmd)_addr_end')
JUMPS = ('return_statement', 'goto_statement', 'break_statement', 'continue_statement')
WRITERS = ('assignment_expression', 'update_expression', 'pointer_expression')
# How many statements after a lock its first reads are.
FAR = 4
# Of a declaration, what is no part of the type here.
STORAGE = re.compile(r'\b(const|static|volatile|__maybe_unused|__always_unused|register)\b')


class Variable:
    """A parameter, or a variable of a block: where it may be used."""

    def __init__(self, name: str, kind: str, start: int, end: int):
        self.name = name
        self.kind = kind
        self.start = start
        self.end = end

    def is_like(self, other: Variable) -> bool:
        """One may be written for the other: of one type, or both counts; addresses are no counts."""
        if COUNT.fullmatch(self.name) and COUNT.fullmatch(other.name):
            return self.kind == other.kind or {self.kind, other.kind} <= {*INTEGERS}
        return self.kind == other.kind and bool(ADDRESS.fullmatch(self.name)) == bool(ADDRESS.fullmatch(other.name))


def _declared(node: Node) -> Iterator[tuple[Node, str]]:
    """The names that a declaration, or a parameter, declares, each with its type."""
    kind = node.child_by_field_name('type')
    if not kind:
        return
    for index, child in enumerate(node.children):
        if node.field_name_for_child(index) == 'declarator':
            stars = ''
            declarator: Node | None = child
            while declarator and declarator.type in ('init_declarator', 'pointer_declarator'):
                stars += '*' if declarator.type == 'pointer_declarator' else ''
                declarator = declarator.child_by_field_name('declarator')
            if declarator and declarator.type == 'identifier':
                yield declarator, ' '.join(STORAGE.sub(' ', text_of(kind)).split()) + stars


def _is_value(node: Node) -> bool:
    """An expression that is read, not declared, written or called."""
    parent = node.parent
    if not parent:
        return False
    if parent.type in ('assignment_expression', 'init_declarator'):
        return parent.child_by_field_name('right') == node or parent.child_by_field_name('value') == node
    if parent.type == 'call_expression':
        return parent.child_by_field_name('function') != node
    return not (parent.type in ('update_expression', 'labeled_statement', 'goto_statement', 'sizeof_expression') or
                parent.type.endswith('declarator') or parent.type.endswith('declaration') or
                parent.type == 'pointer_expression' and text_of(parent.children[0]) == '&' or
                parent.type == 'expression_statement')


class Mistakes(Finder):
    """All such changes of one function."""

    def __init__(self, text: bytes):
        self._known: list[Variable] | None = None
        super().__init__(text)

    # What is written for another.

    def _variables(self) -> list[Variable]:
        if self._known is None:
            self._known = []
            for declaration in every(self.definition, 'parameter_declaration', 'declaration'):
                block: Node | None = declaration.parent
                while declaration.type == 'declaration' and block and block.type not in ('compound_statement', 'for_statement'):
                    block = block.parent
                end = block.end_byte if block and declaration.type == 'declaration' else len(self.text)
                self._known += [Variable(text_of(name), kind, self._first_value(declaration, name), end)
                                for name, kind in _declared(declaration)]
        return self._known

    def _first_value(self, declaration: Node, name: Node) -> int:
        """From where a variable has a value: one without may have any, and so proves nothing."""
        if declaration.type == 'parameter_declaration' or name.parent and name.parent.type == 'init_declarator':
            return declaration.end_byte
        return min((each.end_byte for each in every(self.definition, *WRITERS)
                    if each.start_byte > declaration.end_byte and text_of(name) in self._written(each)), default=len(self.text))

    def _variable(self, node: Node, other: str, where: Place, checked: str = '') -> None:
        # A variable that is compared with itself, or subtracted from itself, is no mistake that people make.
        if not (node.parent and node.parent.type == 'binary_expression' and other in map(text_of, node.parent.named_children)):
            self._add('variable', node, checked or other, where, shown=other if checked else '')

    def _identifier(self, node: Node, where: Place) -> None:
        name = text_of(node)
        for family in FAMILIES:
            if name in family:
                for other in family:
                    if other != name:
                        self._add('sibling', node, other, where)
        if not _is_value(node):
            return
        variables = [variable for variable in self._variables() if variable.start <= node.start_byte < variable.end]
        own = next((variable for variable in reversed(variables) if variable.name == name), None)
        if not own:
            return
        for other in dict.fromkeys(variable.name for variable in variables if variable.name != name and variable.is_like(own)):
            self._variable(node, other, where)
        if own.kind == 'unsigned long' and ADDRESS.fullmatch(name) and any(variable.name == 'vma' for variable in variables):
            for member in ('vma->vm_start', 'vma->vm_end'):
                self._variable(node, member, where)
        if own.kind == 'struct page*' and any(variable.name == 'folio' for variable in variables):
            self._variable(node, '&folio->page', where)

    def _field_expression(self, node: Node, where: Place) -> None:
        """Another member that this function reads of the same structure; the compiler compares the types."""
        if not _is_value(node):
            return
        text, base = text_of(node), text_of(node.child_by_field_name('argument') or node)
        others = dict.fromkeys(text_of(other) for other in every(self.definition, 'field_expression')
                               if text_of(other.child_by_field_name('argument') or other) == base)
        for other in others:
            if other != text:
                self._variable(node, other, where, f'PTEBATCH_INSTEAD({text}, {other})')

    def _call_expression(self, node: Node, where: Place) -> None:
        function, arguments = node.child_by_field_name('function'), node.child_by_field_name('arguments')
        if not function or not arguments:
            return
        name, given = text_of(function), [child for child in arguments.named_children if child.type != 'comment']
        if name in LIMITS:
            self._limit(node, name, [text_of(each) for each in given], where)
        elif ENDS.fullmatch(name) and len(given) == 2:
            self._add('limit dropped', node, text_of(given[1]), where)
        for pair in PARTS:
            for old, new in (pair, pair[::-1]):
                other = re.sub(rf'(?<![a-z]){old}(?![a-z])', new, name)
                if other != name and f'{new}_swp' not in other:
                    self._add('sibling', function, other, where)

    def _limit(self, node: Node, name: str, given: list[str], where: Place) -> None:
        cast = f'({given[0]})' if name.endswith('_t') else ''
        values = given[1:] if cast else given
        for index in range(len(values)):
            rest = values[:index] + values[index + 1:]
            self._add('limit dropped', node, f'({cast}({rest[0]}))' if len(rest) == 1 else f'{name[:3]}({", ".join(rest)})', where)

    # The order of statements, and the branches that they are in.

    def _compound_statement(self, node: Node, where: Place) -> None:
        statements = [child for child in node.named_children if child.type != 'comment']
        for first, second in pairwise(statements):
            self._neighbours(first, second)
        for index, lock in enumerate(statements):
            if lock.type == 'expression_statement' and LOCK.search(text_of(lock)):
                self._read_early(lock, statements[index + 1:index + 1 + FAR])

    def _read_early(self, lock: Node, after: list[Node]) -> None:
        for index, read in enumerate(after):
            if self._is_read(read) and not any(self._conflict(other, read) for other in [lock, *after[:index]]):
                self._add('read before lock', lock, text_of(read) + ' ' + self._source(lock.start_byte, read.start_byte),
                          (lock.start_byte, lock.end_byte, 'statement'), end=read)

    def _case_statement(self, node: Node, where: Place) -> None:
        self._compound_statement(node, where)
        if node.child_by_field_name('value'):
            self._add('branch dropped', node, '', where)

    def _neighbours(self, first: Node, second: Node) -> None:
        where = (first.start_byte, first.end_byte, 'statement')
        between = self._source(first.end_byte, second.start_byte)
        if first.type == second.type == 'expression_statement':
            calls = all(any(every(node, 'call_expression')) for node in (first, second))
            if (calls or self._conflict(first, second)) and not self._no_effect(first) and not self._no_effect(second):
                self._add('statements exchanged', first, text_of(second) + between + text_of(first), where, end=second)
        elif first.type == 'if_statement' and second.type == 'expression_statement' and not self._no_effect(second):
            if block := self._block(first):
                at = block.end_byte - 1
                self._add('statement moved', first, self._source(first.start_byte, at) + text_of(second) + ' ' +
                          self._source(at, first.end_byte), where, end=second)
        elif second.type == 'if_statement' and first.type == 'expression_statement' and not self._no_effect(first):
            if block := self._block(second):
                at = block.start_byte + 1
                self._add('statement moved', first, self._source(second.start_byte, at) + ' ' + text_of(first) +
                          self._source(at, second.end_byte), where, end=second)

    @staticmethod
    def _block(branch: Node) -> Node | None:
        """The block of a branch; none if it ends the function or the round of a loop."""
        block = branch.child_by_field_name('consequence')
        if not block or block.type != 'compound_statement' or not block.named_children or block.named_children[-1].type in JUMPS:
            return None
        return block

    @staticmethod
    def _is_read(node: Node) -> bool:
        """A variable gets a value that is read from somewhere."""
        assignment = node.named_children[0] if node.type == 'expression_statement' and node.named_children else None
        if not assignment or assignment.type != 'assignment_expression':
            return False
        left, right = assignment.child_by_field_name('left'), assignment.child_by_field_name('right')
        return bool(left and left.type == 'identifier' and right and right.type in ('call_expression', 'pointer_expression', 'field_expression'))

    @staticmethod
    def _written(node: Node) -> set[str]:
        """The variables that an expression assigns, or whose address it takes."""
        names = set()
        for each in every(node, *WRITERS):
            target = each.child_by_field_name('left') or each.child_by_field_name('argument')
            if target and (each.type != 'pointer_expression' or text_of(each.children[0]) == '&'):
                names |= {text_of(name) for name in every(target, 'identifier')}
        return names

    def _conflict(self, first: Node, second: Node) -> bool:
        """One writes what the other uses."""
        used = [{text_of(name) for name in every(node, 'identifier')} for node in (first, second)]
        return bool(self._written(first) & used[1] or self._written(second) & used[0])

    def _if_statement(self, node: Node, where: Place) -> None:
        otherwise = node.child_by_field_name('alternative')
        if otherwise:
            self._add('branch dropped', otherwise, '', where)
        self._moved_out(node, where)
        self._exit(node, where)

    def _moved_out(self, node: Node, where: Place) -> None:
        """The first or the last statement of a branch, before or after it."""
        block = self._block(node)
        if not block or where[2] != 'statement' or node.child_by_field_name('alternative'):
            return
        inside = [child for child in block.named_children if child.type != 'comment']
        first, last = inside[0], inside[-1]
        if first.type == 'expression_statement' and not self._no_effect(first):
            self._add('statement moved', node, text_of(first) + ' ' + self._source(node.start_byte, first.start_byte) + ';' +
                      self._source(first.end_byte, node.end_byte), where)
        if last != first and last.type == 'expression_statement' and not self._no_effect(last):
            self._add('statement moved', node, self._source(node.start_byte, last.start_byte) + ';' +
                      self._source(last.end_byte, node.end_byte) + ' ' + text_of(last), where)

    def _exit(self, node: Node, where: Place) -> None:
        """An exit at the end of a branch."""
        block = node.child_by_field_name('consequence')
        if not block or block.type in JUMPS or block.type == 'compound_statement' and not self._block(node):
            return
        parent = node.parent
        while parent and parent.type not in LOOPS:
            parent = parent.parent
        head = text_of(self.definition).partition('{')[0]
        exits = ['continue;'] if parent else []
        exits.append('return;' if re.match(r'(?:(?:static|inline|__always_inline|noinline\w*)\s+)*void\s+\w', head) else 'return 0;')
        for leave in exits:
            if block.type == 'compound_statement':
                self._add('exit added', block.children[-1], f'{leave} }}', where)
            else:
                self._add('exit added', block, f'{{ {text_of(block)} {leave} }}', where)

    # Loops.

    def _last_skipped(self, node: Node, where: Place) -> None:
        condition = node.child_by_field_name('condition')
        if not condition:
            return
        comparison = inner(condition)
        while comparison.type == 'comma_expression':
            comparison = comparison.child_by_field_name('right') or comparison.named_children[-1]
        operator = comparison.child_by_field_name('operator')
        left, right = comparison.child_by_field_name('left'), comparison.child_by_field_name('right')
        if comparison.type != 'binary_expression' or not operator or not left or not right or text_of(operator) not in ('<', '!='):
            return
        less = 'PAGE_SIZE' if ADDRESS.fullmatch(text_of(left)) else '1'
        where = (comparison.start_byte, comparison.end_byte, 'value')
        self._add('iteration skipped', comparison, f'{text_of(left)} < {text_of(right)} - {less}', where)

    def _for_statement(self, node: Node, where: Place) -> None:
        self._last_skipped(node, where)
        first = node.child_by_field_name('initializer')
        value = first.child_by_field_name('right') if first else None
        if value and not value.type.endswith('literal'):
            step = 'PAGE_SIZE' if ADDRESS.fullmatch(text_of(value)) else '1'
            self._add('iteration skipped', value, f'{text_of(value)} + {step}', where)

    def _while_statement(self, node: Node, where: Place) -> None:
        self._last_skipped(node, where)

    def _do_statement(self, node: Node, where: Place) -> None:
        self._last_skipped(node, where)

    def _labeled_statement(self, node: Node, where: Place) -> None:
        """A retry that begins a statement earlier or later."""
        label, parent = node.child_by_field_name('label'), node.parent
        if not label or not parent or f'goto {text_of(label)};' not in self._source(node.end_byte, len(self.text)):
            return
        siblings = [child for child in parent.named_children if child.type != 'comment']
        index = siblings.index(node)
        first = siblings[index - 1] if index else None
        if first and first.type == 'expression_statement':
            self._add('progress forgotten', first, f'{text_of(label)}: {text_of(first)} ' +
                      self._source(label.end_byte + 1, node.end_byte), (first.start_byte, first.end_byte, 'statement'), end=node)
        inside = node.named_children[-1]
        if inside.type == 'expression_statement':
            self._add('progress forgotten', node, f'{text_of(inside)} {text_of(label)}: ;', where)
