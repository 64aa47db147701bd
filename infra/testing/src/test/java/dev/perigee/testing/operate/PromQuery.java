package dev.perigee.testing.operate;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which metrics and labels a PromQL expression is about: what a test needs to hold dashboards and
 * alerts to what is exported, no more of the language.
 */
record PromQuery(List<Selector> selectors, Set<String> grouped) {
    private static final Pattern TOKEN =
            Pattern.compile(
                    "\"(?:[^\"\\\\]|\\\\.)*\"|\\[[^]]*]|[A-Za-z_:][A-Za-z0-9_:]*"
                            + "|=~|!~|!=|==|<=|>=|[0-9][0-9a-z.]*|\\S");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_:][A-Za-z0-9_:]*");
    private static final Set<String> LABELS_FOLLOW =
            Set.of("by", "without", "on", "ignoring", "group_left", "group_right");
    private static final Set<String> OPERATORS =
            Set.of("and", "or", "unless", "bool", "offset", "inf", "nan");

    /** A metric and what is asked of its labels. */
    record Selector(String metric, List<Matcher> matchers) {}

    /** What is asked of one label; {@code operator} is one of = != =~ !~. */
    record Matcher(String label, String operator, String value) {}

    static PromQuery of(String expression) {
        var tokens = TOKEN.matcher(expression).results().map(result -> result.group()).toList();
        var selectors = new ArrayList<Selector>();
        var grouped = new HashSet<String>();
        for (int at = 0; at < tokens.size(); at++) {
            var token = tokens.get(at);
            var next = at + 1 < tokens.size() ? tokens.get(at + 1) : "";
            if (!NAME.matcher(token).matches() || OPERATORS.contains(token)) {
                continue;
            }
            if (LABELS_FOLLOW.contains(token)) {
                int end = at + tokens.subList(at, tokens.size()).indexOf(")");
                tokens.subList(at + 2, end).stream()
                        .filter(label -> !label.equals(","))
                        .forEach(grouped::add);
                at = end;
            } else if (next.equals("{")) {
                int end = at + tokens.subList(at, tokens.size()).indexOf("}");
                selectors.add(new Selector(token, matchers(tokens.subList(at + 2, end))));
                at = end;
            } else if (!next.equals("(") && !next.equals("by")) {
                selectors.add(new Selector(token, List.of()));
            }
        }
        return new PromQuery(List.copyOf(selectors), Set.copyOf(grouped));
    }

    private static List<Matcher> matchers(List<String> tokens) {
        var matchers = new ArrayList<Matcher>();
        for (int at = 0; at + 2 < tokens.size(); at += 4) {
            var quoted = tokens.get(at + 2);
            matchers.add(
                    new Matcher(
                            tokens.get(at),
                            tokens.get(at + 1),
                            quoted.substring(1, quoted.length() - 1)));
        }
        return matchers;
    }
}
