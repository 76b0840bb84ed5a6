"""The grammar: facts a patent can state, each with several wordings in Japanese and in English.

Slots: d device, p1-p3 parts, g who senses, h who acts, m1-m2 materials, t a message, q quantity, x act,
e and i aims; verbs by role (j1 a1 s1 c1 c2 f1 f2); n a range of the quantity, pct a share, num a count,
rat a ratio, tmp a temperature, hrs hours; k1 a chemical name, nm a product name, ds a model.
English forms: none = article as needed, :s plural, :- no article; verbs :pp :3s. Japanese verb forms:
:dic :ren :pas :past (a j verb brings its particle along). English wordings begin in lower case.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Template:
    ja: tuple[str, ...]
    en: tuple[str, ...]
    weights: tuple[float, float, float, float]  # how often in mech, elec, info, chem
    concludes: bool = False  # a conclusion stands without an adjunct


COMPRISE = Template(
    (
        "{d}は、{p1}と、{p2}と、{p3}とを備える。",
        "{d}は、{p1}、{p2}及び{p3}を有する。",
        "{p1}と、{p2}と、{p3}とを備えた{d}とする。",
        "この{d}は、{p1}と{p2}とを含み、さらに{p3}を備えている。",
    ),
    (
        "{d} includes {p1}, {p2}, and {p3}.",
        "{d} comprises {p1}, {p2} and {p3}.",
        "{d} is provided with {p1}, {p2}, and {p3}.",
        "{d} has {p1} and {p2}, and further includes {p3}.",
    ),
    (1, 1, 1, 1),
)
FACTS = (
    Template(
        ("{p1}は、{p2}{j1:pas}ている。", "{p1}が{p2}{j1:pas}る。", "{p1}を{p2}{j1:dic}。"),
        (
            "{p1} is {j1:pp} {p2}.",
            "in this case, {p1} is {j1:pp} {p2}.",
            "there is provided {p1} that is {j1:pp} {p2}.",
        ),
        (5, 4, 4, 4),
    ),
    Template(
        ("{p1}は、{p3}を介して{p2}{j1:pas}ている。", "{p3}を介して{p1}を{p2}{j1:dic}構成とした。"),
        ("{p1} is {j1:pp} {p2} through {p3}.", "via {p3}, {p1} is {j1:pp} {p2}."),
        (3, 3, 2, 1),
    ),
    Template(
        ("{p1}と{p2}との間には、{p3}が介在している。", "{p3}は、{p1}と{p2}との間に配置される。"),
        ("{p3} is interposed between {p1} and {p2}.", "between {p1} and {p2}, {p3} is arranged."),
        (3, 3, 1, 1),
    ),
    Template(
        ("{h}は、{p2}を{a1:dic}。", "{p2}は、{h}によって{a1:pas}る。", "{h}により{p2}を{a1:dic}ようにした。"),
        ("{h} {a1:3s} {p2}.", "{p2} is {a1:pp} by {h}.", "{p2} is configured to be {a1:pp} by {h}."),
        (4, 3, 4, 2),
    ),
    Template(
        ("{g}は、{p2}の{q}を{s1:dic}。", "{p2}の{q}は、{g}により{s1:pas}る。"),
        ("{g} {s1:3s} the {q:-} of {p2}.", "the {q:-} of {p2} is {s1:pp} by {g}."),
        (3, 4, 5, 2),
    ),
    Template(
        (
            "{p2}の{q}が所定値を超えたときに、{h}は{p3}を{a1:dic}。",
            "{h}は、{p2}の{q}が閾値よりも大きい場合に{p3}を{a1:dic}。",
        ),
        (
            "when the {q:-} of {p2} exceeds a predetermined value, {h} {a1:3s} {p3}.",
            "{h} {a1:3s} {p3} in a case where the {q:-} of {p2} is larger than a threshold.",
        ),
        (2, 2, 4, 0.5),
    ),
    Template(
        (
            "{h}は、{g}が{s1:past}{q}に基づいて、{p2}を{a1:dic}。",
            "{g}により{s1:past}{q}に応じて{h}が{p2}を{a1:dic}。",
        ),
        (
            "on the basis of the {q:-} {s1:pp} by {g}, {h} {a1:3s} {p2}.",
            "{h} {a1:3s} {p2} in accordance with the {q:-} which is {s1:pp} by {g}.",
        ),
        (2, 2, 4, 0.3),
    ),
    Template(
        ("{p1}の{q}は、{n}であることが好ましい。", "{p1}の{q}を{n}に設定する。", "{p1}の{q}が{n}である。"),
        (
            "the {q:-} of {p1} is preferably {n}.",
            "the {q:-} of {p1} is set to be {n}.",
            "with respect to {p1}, the {q:-} is {n}.",
        ),
        (2, 3, 1, 4),
    ),
    Template(
        (
            "{p1}は、{m1}からなる。",
            "{p1}は、{m1}により形成されている。",
            "{p1}の材料として{m1}が用いられる。",
        ),
        ("{p1} is made of {m1:-}.", "{p1} is formed of {m1:-}.", "as a material for {p1}, {m1:-} is used."),
        (2, 3, 0, 3),
    ),
    Template(
        ("{d}は、{m1}を{pct}含有する。", "{m1}の含有量は、{d}の全体に対して{pct}である。"),
        ("{d} contains {pct} of {m1:-}.", "{m1} is contained in {d} in an amount of {pct}."),
        (0, 0.5, 0, 5),
    ),
    Template(
        ("{m1}と{m2}とを{c1:ren}、得られた混合物を{c2:dic}。", "{m1}及び{m2}を{c1:past}後に{c2:dic}。"),
        (
            "{m1} and {m2} are {c1:pp}, and the resulting mixture is {c2:pp}.",
            "after {m1} and {m2} are {c1:pp}, the product is {c2:pp}.",
        ),
        (0, 0.3, 0, 5),
    ),
    Template(
        ("{p1}上に{p2}を形成した後、{p3}を{f1:dic}。", "{p2}を{p1}の表面に形成し、続いて{p3}を{f1:dic}。"),
        (
            "after {p2} is formed on {p1}, {p3} is {f1:pp}.",
            "{p2} is formed on the surface of {p1}, and {p3} is then {f1:pp}.",
        ),
        (1, 4, 0, 2),
    ),
    Template(
        ("{p1}は、{x}により{f1:pas}る。", "{x}によって{p1}を{f1:dic}。", "{x}を行うことで{p1}が{f1:pas}る。"),
        (
            "{p1} is {f1:pp} by {x:-}.",
            "by means of {x:-}, {p1} is {f1:pp}.",
            "{p1} is {f1:pp} by performing {x:-}.",
        ),
        (2, 3, 3, 3),
    ),
    Template(
        ("これにより、{d}の{e}を向上させることができる。", "その結果、{d}の{e}が高められる。"),
        ("as a result, the {e:-} of {d} can be improved.", "thus, the {e:-} of {d} is enhanced."),
        (2, 2, 2, 2),
        concludes=True,
    ),
    Template(
        ("従って、{p1}に起因する{i}を抑制することができる。", "これにより、{p1}における{i}が低減される。"),
        (
            "accordingly, {i:-} caused by {p1} can be suppressed.",
            "consequently, {i:-} in {p1} is reduced.",
            "it is thus possible to reduce {i:-} due to {p1}.",
        ),
        (2, 2, 2, 2),
        concludes=True,
    ),
    Template(
        (
            "{num}個の{p1}が、{p2}の周方向に等間隔で配置されている。",
            "{p2}の周囲には、{num}個の{p1}が設けられている。",
        ),
        (
            "{num} {p1:s} are arranged at equal intervals in the circumferential direction of {p2}.",
            "{num} {p1:s} are provided around {p2}.",
        ),
        (2, 1, 0, 0.2),
    ),
    Template(
        ("{p2}には、{num}個の{p1}が設けられる。", "{p2}は、{num}個の{p1}を有している。"),
        ("{p2} is provided with {num} {p1:s}.", "{p2} has {num} {p1:s}."),
        (1, 1, 2, 0.5),
    ),
    Template(
        ("{m1}に{k1}を添加する。", "{k1}が{m1}に加えられる。", "{m1}は、{k1}を含む。"),
        ("{k1} is added to {m1}.", "to {m1}, {k1} is added.", "{m1} contains {k1}."),
        (0, 0.2, 0, 3),
    ),
    Template(
        ("{k1}の存在下で、{m1}を{c1:dic}。", "{m1}は、{k1}と共に{c1:pas}る。"),
        ("in the presence of {k1}, {m1} is {c1:pp}.", "{m1} is {c1:pp} together with {k1}."),
        (0, 0, 0, 3),
    ),
    Template(
        ("{p1}は、{p2}に対して移動可能に設けられている。", "{p1}と{p2}とは、相対的に移動可能である。"),
        (
            "{p1} is provided so as to be movable with respect to {p2}.",
            "{p1} and {p2} are movable relative to each other.",
        ),
        (3, 1, 0, 0),
    ),
    Template(
        ("{p1}は、{t}を{p2}に出力する。", "{p1}から出力された{t}は、{p2}に入力される。"),
        ("{p1} outputs {t} to {p2}.", "{t} output from {p1} is input to {p2}."),
        (0, 1, 5, 0),
    ),
    Template(
        ("{h}は、{p2}から受信した{t}を{f1:dic}。", "{p2}から受け取った{t}が、{h}において{f1:pas}る。"),
        ("{h} {f1:3s} {t} received from {p2}.", "{t} received from {p2} is {f1:pp} in {h}."),
        (0, 0, 5, 0),
    ),
    Template(
        (
            "{x}の工程において、{p1}を{f1:ren}、その後{p2}を{f2:dic}。",
            "{x}に際して、{p1}を{f1:past}後に{p2}を{f2:dic}。",
        ),
        (
            "in a step of {x:-}, {p1} is {f1:pp}, and then {p2} is {f2:pp}.",
            "at the time of {x:-}, {p2} is {f2:pp} after {p1} is {f1:pp}.",
        ),
        (1, 2, 1, 2),
    ),
    Template(
        ("{p1}の{q}に対する{p2}の{q}の比は、{rat}である。",),
        ("the ratio of the {q:-} of {p2} to that of {p1} is {rat}.",),
        (1, 1, 0.3, 1),
    ),
    Template(
        ("{m1}を{tmp}で{hrs}時間{c1:dic}。", "{tmp}の温度で{m1}を{hrs}時間かけて{c1:dic}。"),
        (
            "{m1} is {c1:pp} at {tmp} for {hrs} hours.",
            "{m1} is {c1:pp} for {hrs} hours at a temperature of {tmp}.",
        ),
        (0, 0.2, 0, 3),
    ),
    Template(
        ("{p1}は、{p2}と対向する位置に{p3}を有する。", "{p1}のうち{p2}に対向する部分に、{p3}が設けられる。"),
        (
            "{p1} has {p3} at a position facing {p2}.",
            "{p3} is provided at a portion of {p1} which faces {p2}.",
        ),
        (3, 2, 0, 0.5),
    ),
)
COMPOSE = Template(
    (
        "{d}は、{m1}と、{m2}とを含有する。",
        "{d}は、{m1}及び{m2}を必須成分として含む。",
        "{m1}と{m2}とを含む{d}とする。",
        "{d}は、{m1}を主成分とし、{m2}が添加されている。",
    ),
    (
        "{d} contains {m1} and {m2}.",
        "{d} comprises {m1} and {m2} as essential components.",
        "{d} includes {m1} together with {m2}.",
        "{d} has {m1} as a main component, to which {m2} is added.",
    ),
    (1, 1, 1, 1),
)
PRODUCT_PART = Template(
    ("{p1}には、商品名{nm}の製品を用いる。", "{p1}として、{nm}が使用される。"),
    ("a product sold under the name of {nm} is used for {p1}.", "as {p1}, {nm} is used."),
    (1, 1, 1, 1),
)
NAMED = Template(
    ("{p1}には、{nm}と称する{m1}を用いる。", "{m1}として、商品名{nm}が使用される。"),
    ("{m1:-} called {nm} is used for {p1}.", "{m1:-} sold under the name of {nm} is used."),
    (1, 1, 1, 1),
)
MODEL = Template(
    ("{d}は、型式{ds}に適用される。", "型式{ds}の{d}を例に説明する。"),
    ("{d} is applied to model {ds}.", "a description is given taking {d} of model {ds} as an example."),
    (1, 1, 1, 1),
)
OPENING = Template(
    (
        "{i}を抑制し、{e}を向上させることができる{d}を提供する。",
        "{e}に優れ、{i}を低減することが可能な{d}を提供する。",
        "{i}を低減しつつ、{p1}の{e}を高めることができる{d}を提供することを目的とする。",
        "簡単な構成で{i}を抑えることができ、{e}の高い{d}を提供する。",
    ),
    (
        "to provide {d} capable of suppressing {i:-} and improving {e:-}.",
        "an object is to provide {d} which is excellent in {e:-} and by which {i:-} is reduced.",
        "to improve the {e:-} of {p1} while reducing {i:-} in {d}.",
        "disclosed is {d} with a simple structure for reducing {i:-} and enhancing {e:-}.",
    ),
    (1, 1, 1, 1),
)
TITLES = Template(
    (
        "{d}",
        "{d}及びその製造方法",
        "{d}及びその制御方法",
        "{p1}を備えた{d}",
        "{p1}及びこれを用いた{d}",
        "{d}並びに{p1}",
    ),
    (
        "{d:-}",
        "{d:-} and method for manufacturing the same",
        "{d:-} and control method thereof",
        "{d:-} having {p1}",
        "{p1:-} and {d:-} using the same",
        "{d:-} and {p1:-}",
    ),
    (1, 1, 1, 1),
)
CLAIM = Template(
    ("{p1}と、{p2}{j1:pas}た{p3}とを備える{d}。",),
    ("{d}, comprising: {p1}; {p2}; and {p3} {j1:pp} {p2}, wherein ",),
    (1, 1, 1, 1),
)
SUBSTANCE_CLAIM = Template(
    ("{m1}と、{m2}とを含む{d}。",),
    ("{d}, comprising: {m1}; and {m2}, wherein ",),
    (1, 1, 1, 1),
)
