"""Delimited text in its dialects, ARFF dense and sparse, JSON in lines and arrays, libsvm."""

from __future__ import annotations

from tools.fuzz.fuzzers.files import FileFuzzer


class Csv(FileFuzzer):
    name = "csv"
    endings = (".csv", ".tsv", ".txt", ".dat", ".raw")

    def others(self) -> dict[str, bytes]:
        return {
            "commas.csv": b"a,b,c\n1,x,2020-01-01\n2.5,y,2020-02-03\n,z,\n",
            "semicolons.csv": b'name;price\n"M\xc3\xbcller; Co";1,50\n"say ""hi""";2,75\n',
            "tabs.csv": b"x\ty\r\n1\t2\r\n3\t4\r\n",
            "bars.csv": b"id|flag|when\n1|true|12/31/2024 10:00\n2|false|01/02/2024 11:30\n",
            "blanks.csv": b"h w\n1.80 m\n1.65 f\n1.70 f\n",
            "cp1252.csv": "größe,b\nÉlan,1\nß,2\n".encode("cp1252"),
            "utf16.csv": "größe,b\nÉlan,1\nß,2\n".encode("utf-16"),
            "remarks.csv": b"# made by hand\na,b\n1,2\n3,4\n",
            "zeros.csv": b"zip,n\n01067,1\n80331,2\n" * 3,
            "money.csv": b"money,share\n$1,12 %\n$2,50 %\n",
            "lines.csv": b'q\n"two\nlines"\n"one"\n',
            "ends.csv": b"a,b,\n1,2,\n3,4,\n",
        }


class Arff(FileFuzzer):
    name = "arff"
    endings = (".arff",)

    def others(self) -> dict[str, bytes]:
        head = (
            b"% a remark\n@relation 'a b'\n@attribute age numeric\n@attribute \"the town\" {Bern, 'Basel, BS', ?}\n"
            b"@attribute day date 'yyyy-MM-dd HH:mm'\n@attribute said string\n@attribute n integer\n@data\n"
        )
        return {
            "dense.arff": head
            + b"1.5,Bern,'2020-01-02 10:30','it''s',3\n?,'Basel, BS',?,?,?\n2,Bern,?,\"x\",4,{2.5}\n",
            "thin.arff": head + b"{0 1.5, 1 Bern}\n{}\n{2 '2020-01-02 10:30', 3 word, 4 7}\n{1 'Basel, BS'}\n",
            "types.arff": b"@relation r\n@attribute a real [0,1]\n@attribute b {x}\n@attribute c relational\n"
            b"@attribute d numeric\n@end c\n@data\n1,x,'2'\n",
        }


class Json(FileFuzzer):
    name = "json"
    endings = (".jsonl", ".json")

    def others(self) -> dict[str, bytes]:
        row = b'{"a": 1.5, "b": "x", "c": null, "d": true, "e": "2020-01-02", "f": 12345678901234567890}'
        odd = b'{"b": "\\u00fc\\ud83d\\ude00", "a": -1e-5, "g": {"h": [1, 2]}, "d": false}'
        return {
            "rows.jsonl": row + b"\n" + odd + b"\n" + row + b"\n",
            "rows.json": b"[" + row + b",\n" + odd + b", " + row + b"]",
            "same.json": b'[{"x": 1, "y": "a"}, {"x": 2, "y": "b"}]',
        }


class Libsvm(FileFuzzer):
    name = "libsvm"
    endings = (".libsvm",)

    def others(self) -> dict[str, bytes]:
        return {
            "rows.libsvm": b"1 1:0.5 3:1e-3 10:7\n-1 2:1 # a remark\n+1 qid:3 1:2.5 4:-1\n0\n",
            "words.svm": b"spam 1:1 2:1\nham 2:3 1000:1\n",
        }
