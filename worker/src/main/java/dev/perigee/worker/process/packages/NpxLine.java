package dev.perigee.worker.process.packages;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what follows {@code npx}. Certain are {@code -y package …} and {@code -y -p package program
 * …} with packages of a registry, or of a repository as {@link GitSpec} has it, in every spelling
 * that npm documents for the two options and with an optional {@code --}. Not certain is all else:
 * no {@code -y} (npm's configuration decides), two packages, {@code -c}, an option that is not
 * known here, a package from another transport of git, a file or a URL.
 *
 * <p>Source: npm's manual page npx(1).
 */
final class NpxLine {
    private static final String PART = "[a-z0-9~][a-z0-9._~-]*";
    private static final Pattern SPEC =
            Pattern.compile(
                    "((?:@%1$s/)?%1$s)(?:@([A-Za-z0-9^~*][A-Za-z0-9^~*.+_-]*))?".formatted(PART));
    private static final Pattern EXACT =
            Pattern.compile("v?\\d+\\.\\d+\\.\\d+(?:[-+][A-Za-z0-9.+-]+)?");
    private static final Pattern PROGRAM = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]*");

    private NpxLine() {}

    static @Nullable PackageLine parse(List<String> words) {
        boolean agreed = false;
        String spec = null;
        int at = 0;
        for (; at < words.size() && words.get(at).startsWith("-"); at++) {
            var word = words.get(at);
            if (word.equals("--")) {
                at++;
                break;
            }
            if (word.equals("-y") || word.equals("--yes")) {
                agreed = true;
            } else if (word.equals("-p") || word.equals("--package")) {
                at++;
                if (spec != null || at == words.size()) {
                    return null;
                }
                spec = words.get(at);
            } else if (word.startsWith("-p=") || word.startsWith("--package=")) {
                if (spec != null) {
                    return null;
                }
                spec = word.substring(word.indexOf('=') + 1);
            } else {
                return null;
            }
        }
        return agreed && at < words.size() ? line(spec, words.subList(at, words.size())) : null;
    }

    private static @Nullable PackageLine line(@Nullable String option, List<String> rest) {
        var spec = option == null ? rest.getFirst() : option;
        var program = option == null ? null : rest.getFirst();
        var parts = SPEC.matcher(spec);
        if (program != null && !PROGRAM.matcher(program).matches()) {
            return null;
        }
        if (!parts.matches()) {
            var git = GitSpec.ofNpm(spec);
            return git == null
                    ? null
                    : PackageLine.of(
                            PackageManager.NPM, spec, git, program, rest.subList(1, rest.size()));
        }
        var version = parts.group(2);
        return new PackageLine(
                PackageManager.NPM,
                spec,
                parts.group(1),
                program,
                version != null && EXACT.matcher(version).matches(),
                rest.subList(1, rest.size()),
                null);
    }
}
