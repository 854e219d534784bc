"""Operations of values, casts, and values as text: checked, and as Python text."""

from __future__ import annotations

from dataclasses import dataclass

from anabranch.core.errors import ProgramError
from anabranch.lang.spl import syntax
from anabranch.lang.spl.types import (
    BOOLEAN,
    DECIMALS,
    FLOAT64,
    NULL,
    TIMESTAMP,
    Collection,
    EnumOf,
    OptionalOf,
    Primitive,
    SplType,
    TupleOf,
    field_name,
    is_complex,
    is_decimal,
    is_float,
    is_integer,
    is_list,
    is_number,
    is_ordered,
    is_string,
    range_of,
    unbounded,
    wrapped,
)

UNKNOWN = object()
ARITHMETIC = ("+", "-", "*", "/", "%")
BITWISE = ("&", "|", "^", "<<", ">>")
ORDERS = ("<", "<=", ">", ">=")


@dataclass(frozen=True)
class Code:
    """A checked expression: its type and its Python text. `shared` where it is a collection that
    something else has too, `constant` its value where that is known."""

    type: SplType
    text: str
    shared: bool = False
    constant: object = UNKNOWN


def is_changeable(kind: SplType) -> bool:
    if isinstance(kind, OptionalOf):
        return is_changeable(kind.item)
    if isinstance(kind, TupleOf):
        return any(is_changeable(t) for _, t in kind.fields)
    return isinstance(kind, Collection)


def cast_help(given: SplType, wanted: SplType) -> str | None:
    if (is_number(given) or is_string(given)) and (is_number(wanted) or is_string(wanted)):
        return f"cast it: ({unbounded(wanted)}) ..."
    return None


def text_of(code: Code, quoted: bool = False) -> str:
    """The Python text of a value as it is shown; texts stand in quotes where that is asked."""
    kind, text = code.type, code.text
    if isinstance(kind, OptionalOf):
        return f"('null' if {text} is None else {text_of(Code(kind.item, text), quoted)})"
    if is_string(kind):
        return f"quote({text})" if quoted else text
    if is_integer(kind) or isinstance(kind, EnumOf):
        return text if isinstance(kind, EnumOf) else f"str({text})"
    if is_float(kind):
        return f"{'float' if kind == FLOAT64 else 'single'}_text({text})"
    if kind == Primitive("complex32"):
        return f"complex_text(SingleComplex({text}))"
    if kind == BOOLEAN:
        return f"('true' if {text} else 'false')"
    if isinstance(kind, TupleOf):
        parts = [f"'{name}=' + {text_of(Code(k, f'{text}.{field_name(name)}'), True)}"
                 for name, k in kind.fields]
        separator = " + ',' + "
        return f"('{{' + {separator.join(parts)} + '}}')"
    if isinstance(kind, Collection) and not _is_opaque(kind):
        return _collection_text(kind, text)
    return f"shown({text}, {quoted})"


def _collection_text(kind: Collection, text: str) -> str:
    item = text_of(Code(kind.item, "x"), True)
    if kind.kind == "list":
        return f"('[' + ','.join([{item} for x in {text}]) + ']')"
    over, more = text, ""
    if kind.kind == "map":
        over, more = f"{text}.items()", f" + ':' + {text_of(Code(kind.parts[1], 'y'), True)}"
    names = "x, y" if more else "x"
    return f"('{{' + ','.join([{item}{more} for {names} in {over}]) + '}}')"


def _is_opaque(kind: SplType) -> bool:
    """Whether a collection has collections in it, whose texts would be written in each other."""
    return any(isinstance(part, (Collection, TupleOf)) for part in kind.parts)


def within_bound(code: Code, wanted: SplType) -> str:
    bound = getattr(wanted, "bound", None)
    known = getattr(code.type, "bound", None)
    if bound is None or (known is not None and known <= bound):
        return code.text
    return f"bounded({code.text}, {bound})"


def cast_text(code: Code, kind: SplType) -> str | None:
    """The text of a cast between plain values; None where there is none."""
    given, text = unbounded(code.type), code.text
    if is_string(kind):
        return text_of(code, not is_string(given))
    if is_integer(kind) and (is_number(given) or is_string(given) or given == BOOLEAN):
        return _to_integer(text, given, kind)
    if is_float(kind) and (is_number(given) or is_string(given)):
        source = f"number_of({text}, 'float')" if is_string(given) else f"float({text})"
        return wrapped(source, kind) if kind != FLOAT64 else source
    if is_decimal(kind) and (is_number(given) or is_string(given)):
        return f"decimal_of({text}, {DECIMALS[kind.name]})"
    if is_complex(kind):
        source = f"complex_of({text})" if is_string(given) else f"complex({text})"
        good = is_string(given) or is_complex(given) or is_number(given)
        return (wrapped(source, kind) if kind.name == "complex32" else source) if good else None
    if kind == BOOLEAN and (is_number(given) or is_string(given)):
        return f"truth_of({text})" if is_string(given) else f"({text} != 0)"
    if isinstance(kind, EnumOf) and is_string(given):
        return f"one_of({text}, {kind.names!r})"
    if kind == TIMESTAMP and is_number(given):
        return f"moved(Timestamp(0), float({text}))"
    if given == TIMESTAMP and is_float(kind):
        return f"elapsed({text}, Timestamp(0))"
    return None


def _to_integer(text: str, given: SplType, kind: SplType) -> str:
    if is_integer(given):
        (low, high), (least, most) = range_of(given), range_of(kind)
        return text if least <= low and high <= most else wrapped(text, kind)
    if given == BOOLEAN:
        return f"int({text})"
    source = f"number_of({text}, 'int')" if is_string(given) else (
        f"whole({text})" if is_float(given) else f"int({text})")
    return wrapped(source, kind)


def operation(operator: str, left: Code, right: Code, node: syntax.Binary) -> Code:
    """An infix operation of two values."""
    a, b = unbounded(left.type), unbounded(right.type)
    if operator in ("==", "!="):
        if NULL in (a, b):
            return _is_null(operator, left, right, node)
        _same(a.item if isinstance(a, OptionalOf) else a,
              b.item if isinstance(b, OptionalOf) else b, operator, node)
        return Code(BOOLEAN, f"({left.text} {operator} {right.text})")
    if operator in ORDERS:
        _same(a, b, operator, node)
        if isinstance(a, EnumOf):
            places = {name: n for n, name in enumerate(a.names)}
            return Code(BOOLEAN, f"({places}[{left.text}] {operator} {places}[{right.text}])")
        if not is_ordered(a):
            raise ProgramError(f"{operator} is for what has an order", node.span, got=str(a))
        return Code(BOOLEAN, f"({left.text} {operator} {right.text})")
    if operator in BITWISE:
        return _bits(operator, left, right, node)
    if operator == "+" and is_string(a):
        _same(a, b, operator, node)
        return Code(a, f"({left.text} + {right.text})")
    if operator == "+" and isinstance(a, Collection) and a == b:
        text = f"({left.text} + {right.text})" if is_list(a) else (
            f"type({left.text})({{**{left.text}, **{right.text}}})")
        return Code(a, text, True)
    if is_complex(a) and operator != "%":
        _same(a, b, operator, node)
        text = f"complex_ratio({left.text}, {right.text})" if operator == "/" else (
            f"({left.text} {operator} {right.text})")
        return Code(a, wrapped(text, a) if a.name == "complex32" else text)
    if not is_number(a) or (operator == "%" and not is_integer(a)):
        raise ProgramError(f"{operator} is for {'integers' if operator == '%' else 'numbers'}",
                           node.left.span, got=str(left.type))
    _same(a, b, operator, node)
    return Code(a, _arithmetic(operator, left, right, a))


def _is_null(operator: str, left: Code, right: Code, node: syntax.Binary) -> Code:
    other = right if unbounded(left.type) == NULL else left
    if not isinstance(other.type, OptionalOf):
        raise ProgramError("only optional values can be null", node.span, got=str(other.type))
    return Code(BOOLEAN, f"({other.text} is {'' if operator == '==' else 'not '}None)")


def _same(a: SplType, b: SplType, operator: str, node: syntax.Binary) -> None:
    if a != b:
        raise ProgramError(f"the two sides of {operator} are of different types", node.span,
                           expected=f"{a} {operator} {a}", got=f"{a} {operator} {b}",
                           help=cast_help(b, a))


def _bits(operator: str, left: Code, right: Code, node: syntax.Binary) -> Code:
    a, b = unbounded(left.type), unbounded(right.type)
    if a == b == BOOLEAN and operator in ("&", "|", "^"):
        return Code(a, f"({left.text} {operator} {right.text})")
    if not is_integer(a) or not is_integer(b):
        raise ProgramError(f"{operator} is for integers", node.span, got=f"{a} {operator} {b}")
    if operator not in ("<<", ">>"):
        _same(a, b, operator, node)
    text = f"{left.text} {operator} {right.text}"
    return Code(a, wrapped(f"({text})", a) if operator == "<<" else f"({text})")


def _arithmetic(operator: str, left: Code, right: Code, kind: SplType) -> str:
    a, b = left.text, right.text
    if operator == "/" and is_float(kind):
        nonzero = right.constant is not UNKNOWN and right.constant != 0
        text = f"({a} / {b})" if nonzero else f"ratio({a}, {b})"
        return text if kind == FLOAT64 else wrapped(text, kind)
    if operator == "/" and is_decimal(kind):
        return f"decimal_ratio({a}, {b}, {DECIMALS[kind.name]})"
    if operator in ("/", "%"):
        return _division(operator, a, right, kind)
    text = f"{a} {operator} {b}"
    return wrapped(text, kind) if kind != FLOAT64 else f"({text})"


def _division(operator: str, a: str, right: Code, kind: Primitive) -> str:
    nonzero = right.constant is not UNKNOWN and right.constant > 0
    if nonzero and kind.name.startswith("u"):
        return f"({a} {'//' if operator == '/' else '%'} {right.text})"
    text = f"{'quotient' if operator == '/' else 'remainder'}({a}, {right.text})"
    # The quotient of the smallest number and -1 is beyond the type.
    return text if operator == "%" or nonzero or kind.name.startswith("u") else wrapped(text, kind)
