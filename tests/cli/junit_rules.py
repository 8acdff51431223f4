"""What the readers of JUnit reports ask of claims.xml, each rule with the source it was read in.

There is no standard. Three schemas circulate as "the JUnit schema of Jenkins"; the readers that
people use are programs without a schema."""

import xml.etree.ElementTree

# Of failures and errors: two of claims, one of cells, one of the comparison with a baseline.
TYPES = ("violated", "inconclusive", "cell-error", "baseline")

SCHEMAS = {
    # junit-4.xsd of dtkit, as JUnit 5 keeps it to test its own reports:
    # junit-team/junit5, platform-tests/src/test/resources/jenkins-junit.xsd
    "jenkins-junit.xsd": {
        "is_ordered": True,
        "children": {
            "testsuites": ["testsuite"],
            "testsuite": ["properties", "testcase", "system-out", "system-err"],
            "testcase": ["skipped", "error", "failure", "system-out", "system-err"],
        },
        "attributes": {
            "testsuites": "name time tests failures disabled errors",
            "testsuite": "name! tests! failures errors time disabled skipped timestamp hostname id "
                         "package",
            "testcase": "name! assertions time classname status",
            "failure": "type message", "error": "type message", "skipped": "",
        },
    },
    # jenkinsci/xunit-plugin, .../types/model/xsd/junit-10.xsd at 0c375225, of the years to 2018
    "junit-10.xsd, old": {
        "is_ordered": False,
        "children": {
            "testsuites": ["testsuite"],
            "testsuite": ["testsuite", "properties", "testcase", "system-out", "system-err"],
            "testcase": ["skipped", "error", "failure", "rerunFailure", "rerunError", "system-out",
                         "system-err"],
        },
        "attributes": {
            "testsuites": "name time tests failures disabled errors",
            "testsuite": "name tests! failures errors time disabled skipped skips timestamp "
                         "hostname id package assertions file skip log url",
            "testcase": "name! assertions time timestamp classname status class file line log "
                        "group url",
            "failure": "type message", "error": "type message", "skipped": "type message",
        },
    },
    # The same file at 031e285e: fewer attributes, and four that a suite must have.
    "junit-10.xsd, strict": {
        "is_ordered": False,
        "children": {
            "testsuites": ["testsuite"],
            "testsuite": ["testsuite", "properties", "testcase", "system-out", "system-err"],
            "testcase": ["skipped", "error", "failure", "rerunFailure", "rerunError",
                         "flakyFailure", "flakyError", "system-out", "system-err"],
        },
        "attributes": {
            "testsuites": "name time tests failures errors",
            "testsuite": "name! tests! failures! errors! group time skipped timestamp hostname id "
                         "package file log url",
            "testcase": "name! time classname group",
            "failure": "type message", "error": "type message", "skipped": "type message",
        },
    },
}

# No schema has this, and the step "junit" of Jenkins reads it (jenkinsci/junit-plugin,
# CaseResult.java: testCase.element("properties"), with keepProperties). GitLab
# (gitlabhq/gitlabhq, lib/gitlab/ci/parsers/test/junit.rb) and the reporters for GitHub
# (dorny/test-reporter, java-junit-parser.ts; mikepenz/action-junit-report, testParser.ts) pass
# over what they do not know. File and line are in the old schema of the xunit-plugin alone; GitLab
# (file) and action-junit-report (file, line) read them, and the others pass over them.
BEYOND_SCHEMAS = {"testcase: properties is no child here", "testcase: no attribute file",
                  "testcase: no attribute line"}


def schema_problems(root, schema):
    """Where @root departs from a schema, as a set of sentences."""
    problems = set()
    for element in root.iter():
        children = [child.tag for child in element]
        allowed = schema["children"].get(element.tag)
        if allowed is not None:
            problems |= {f"{element.tag}: {tag} is no child here"
                         for tag in children if tag not in allowed}
            places = [allowed.index(tag) for tag in children if tag in allowed]
            if schema["is_ordered"] and places != sorted(places):
                problems.add(f"{element.tag}: {' '.join(children)} is not the order")
        if element.tag in schema["attributes"]:
            words = schema["attributes"][element.tag].split()
            problems |= {f"{element.tag}: no attribute {name}" for name in element.attrib
                         if name not in [word.rstrip("!") for word in words]}
            problems |= {f"{element.tag}: lacks {word[:-1]}" for word in words
                         if word.endswith("!") and word[:-1] not in element.attrib}
    return problems


def outcomes(case):
    """The elements that say how a test case ended; none: well."""
    return [child for child in case if child.tag in ("failure", "error", "skipped")]


def reader_problems(root):
    """The rules of the programs."""
    problems = set()
    if root.tag != "testsuites":  # GitLab: one at the top, and test cases within suites
        return {"the root is not testsuites"}
    keys = [(suite.get("name"), case.get("classname"), case.get("name"))
            for suite in root for case in suite.findall("testcase")]
    if len(keys) != len(set(keys)):  # GitLab (reports/test_case.rb) keeps one of each
        problems.add("two test cases are the same one")
    for case in root.iter("testcase"):
        ends = outcomes(case)
        if len(ends) > 1:  # Jenkins asks for "error" first, GitLab for "failure"
            problems.add("a test case ended in two ways")
        for name in ("name", "classname"):  # action-junit-report splits it, GitLab shows it
            if not (case.get(name) or "").strip():
                problems.add(f"testcase: {name} is empty")
        if case.get("time") != "0":  # test-reporter: parseFloat; otherwise "NaN ms" is shown
            problems.add("testcase: time is no number, or depends on time")
        if len(case.findall("system-out")) > 1:  # GitLab searches a text, not a list
            problems.add("testcase: more than one system-out")
        for end in ends:
            if not (end.text or "").strip():  # GitLab and test-reporter show the text alone
                problems.add(f"{end.tag}: no text")
            if end.tag == "skipped":
                continue
            # Jenkins and action-junit-report show the message.
            if end.get("message") != (end.text or "").split("\n")[0]:
                problems.add(f"{end.tag}: the message is not the text's first line")
            # GitLab's Hash.from_xml would convert the text of a type="integer" and the like.
            if end.get("type") not in TYPES:
                problems.add(f"{end.tag}: type {end.get('type')}")
    for prop in root.iter("property"):
        if not prop.get("name") or prop.get("value") is None or prop.text:
            problems.add("property: needs name and value, and no text")
    return problems


def count_problems(root):
    """The counts that suites state against those that can be counted."""
    problems = set()
    for element in (root, *root.findall("testsuite")):
        tags = [end.tag for case in element.iter("testcase") for end in outcomes(case)]
        counts = {"tests": len(list(element.iter("testcase"))),
                  "failures": tags.count("failure"), "errors": tags.count("error"),
                  "skipped": tags.count("skipped")}
        problems |= {f"{element.tag}: {name} {element.get(name)}, there are {count}"
                     for name, count in counts.items()
                     if element.get(name, str(count)) != str(count)}
    return problems


def problems_of(text):
    """Everything that a reader could take exception to, of the text of claims.xml."""
    root = xml.etree.ElementTree.fromstring(text)
    problems = {f"{name}: {problem}" for name, schema in SCHEMAS.items()
                for problem in schema_problems(root, schema) - BEYOND_SCHEMAS}
    return problems | reader_problems(root) | count_problems(root)
