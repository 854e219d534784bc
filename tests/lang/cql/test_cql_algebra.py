"""Queries become the algebra that one would write by hand, and its typing rules hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from anabranch.ir.types import BOOL, INT, STR
from anabranch.lang.common.terms import Constant, Variable
from anabranch.lang.cql import algebra as sra
from anabranch.lang.cql.algebra import show, verify
from anabranch.lang.cql.parser import read
from anabranch.lang.cql.translate import program_of

DECLARED = "S := {int a, string s} stream; R := {int a, float x} relation;"
STREAM = sra.Input(None, "S", (sra.Column("a", INT), sra.Column("s", STR)), True)
RELATION = replace(STREAM, name="R", is_stream=False)


@pytest.mark.parametrize("query, algebra", [
    ("select * from S", "istream(project[a, s](unbounded(S)))"),
    ("select a from S [range 1 minute slide 5]", "project[a](range[60, 5](S))"),
    ("select a from S [partition by s rows 2]", "project[a](partitioned[2, s](S))"),
    ("select istream(S.a) from S [now], R where S.a = R.a and x > 2.5 and s = 'p'",
     "istream(project[a](join[a = a](filter[(s == 'p')](now(S)), filter[(x > 2.5)](R))))"),
    ("select s, count(*) as n from S [now] group by s having max(a) > 1",
     "project[#0 as s, #1 as n](filter[(#2 > 1)](group[s, count(*), max(a)](now(S))))"),
    ("select a from S where a in (select a from R) and 1 / a > 0",
     "project[a](filter[#2](mark[a = a](filter[(int_quotient(1, a) > 0)](unbounded(S)), "
     "project[a](R))))"),
    ("select a from R except all select a from S [now]",
     "except(project[a](R), project[a](now(S)))"),
    ("select distinct a from R", "distinct(project[a](R))"),
])
def test_translation(query, algebra):
    [result] = program_of(read(DECLARED + query, "q.cql")).results
    assert show(verify(result.node)) == algebra


@pytest.mark.parametrize("node, words", [
    (sra.Window(None, RELATION, "now"), "is a relation"),
    (sra.ToStream(None, STREAM, "istream"), "is a stream"),
    (sra.Filter(None, RELATION, Constant(INT, None, 1)), "neither true nor false"),
    (sra.Filter(None, RELATION, Variable(BOOL, None, 0)), "not of type bool"),
    (sra.Project(None, RELATION, (Variable(INT, None, 2),), ("c",)), "no column 2"),
    (sra.Join(None, RELATION, RELATION, (Variable(INT, None, 0),), (Variable(STR, None, 1),)),
     "types int and str"),
    (sra.UnionAll(None, RELATION, sra.Project(None, RELATION, (), ())), "different types"),
])
def test_typing_rules(node, words):
    with pytest.raises(TypeError, match=words):
        verify(node)
