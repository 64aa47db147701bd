package dev.perigee.worker.process.packages;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what follows {@code uvx}. Certain are {@code package …}, {@code package@version …} and
 * {@code --from requirement program …}, the requirement being a name with extras and versions, or a
 * repository as {@link GitSpec} has it, which may stand in the package's place too. Not certain is
 * all else: other options and transports of git, files, URLs.
 *
 * <p>Source: uv's guide "Using tools".
 */
final class UvxLine {
    private static final String NAME = "[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?";
    private static final Pattern TOOL =
            Pattern.compile("(%s)(?:@([A-Za-z0-9][A-Za-z0-9.+!-]*))?".formatted(NAME));
    private static final Pattern REQUIREMENT =
            Pattern.compile(
                    "(%s)(?:\\[[A-Za-z0-9._, -]+])?([<>=!~]{1,3}[A-Za-z0-9.*+!<>=~, -]+|@[A-Za-z0-9.+!-]+)?"
                            .formatted(NAME));
    private static final Pattern EXACT = Pattern.compile("(?:==|===|@)?\\s*\\d[A-Za-z0-9.+!-]*");
    private static final Pattern PROGRAM = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]*");

    private UvxLine() {}

    static @Nullable PackageLine parse(List<String> words) {
        if (words.isEmpty()) {
            return null;
        }
        var first = words.getFirst();
        if (first.startsWith("--from=")) {
            return from(first.substring("--from=".length()), words.subList(1, words.size()));
        }
        if (first.equals("--from") && words.size() > 1) {
            return from(words.get(1), words.subList(2, words.size()));
        }
        var git = GitSpec.ofUv(first);
        if (git != null) {
            return PackageLine.of(
                    PackageManager.UV, first, git, null, words.subList(1, words.size()));
        }
        var parts = TOOL.matcher(first);
        return parts.matches()
                ? line(first, parts.group(1), parts.group(1), parts.group(2), words)
                : null;
    }

    private static @Nullable PackageLine from(String requirement, List<String> rest) {
        if (rest.isEmpty() || !PROGRAM.matcher(rest.getFirst()).matches()) {
            return null;
        }
        var git = GitSpec.ofUv(requirement);
        if (git != null) {
            var arguments = rest.subList(1, rest.size());
            return PackageLine.of(PackageManager.UV, requirement, git, rest.getFirst(), arguments);
        }
        var parts = REQUIREMENT.matcher(requirement);
        return parts.matches()
                ? line(requirement, parts.group(1), rest.getFirst(), parts.group(2), rest)
                : null;
    }

    private static PackageLine line(
            String spec,
            String name,
            String program,
            @Nullable String version,
            List<String> words) {
        return new PackageLine(
                PackageManager.UV,
                spec,
                name,
                program,
                version != null && EXACT.matcher(version).matches(),
                words.subList(1, words.size()),
                null);
    }
}
