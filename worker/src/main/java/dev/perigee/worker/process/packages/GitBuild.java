package dev.perigee.worker.process.packages;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.Json;
import dev.perigee.worker.process.isolation.CacheLayout;
import dev.perigee.worker.process.isolation.Mount;
import dev.perigee.worker.process.isolation.ServerProgram;
import dev.perigee.worker.process.isolation.ServerRuntime;
import dev.perigee.worker.process.packages.PackageStore.Draft;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Installation of a package in a repository by one commit: git fetches it, the package manager
 * packs it, and the archive is installed as if it came from a registry.
 *
 * <p>The package's own build runs, as it does for npx and uvx: npm's {@code prepare}, and the build
 * of a Python package. It runs after the download of what it needs, in a home of its own and
 * without the operator's credentials; no link that it leaves is followed by who has them, since
 * that one gets the archive only. Scripts of its dependencies run where {@code packages.scripts}
 * names the repository.
 */
final class GitBuild {
    private static final Path SOURCE = Path.of("/package/source");
    private static final Path PACKED = Path.of("/package/packed");
    private static final Path TOP = Path.of("/package");
    private static final int LARGEST_MANIFEST = 1 << 20;

    /**
     * Address, commit, directory. Configuration of npm's in the repository does not count: it may
     * name programs to run.
     */
    private static final String FETCH =
            """
            set -e
            cd "$3"
            git init -q --template= .
            git fetch -q --depth 1 --no-tags --no-recurse-submodules -- "$1" "$2"
            git checkout -q --detach -f "$2"
            find . -name .npmrc -exec rm -rf -- {} +
            chmod -R a+rX .
            """;

    /** The others must read what a program writes into a directory. */
    private static final String READABLE = "\"$@\" && chmod -R a+rX -- \"$0\"";

    /** A table of uv, or a key below {@code [tool.uv]}. */
    private static final Pattern SOURCES =
            Pattern.compile("tool\\.uv\\.sources|\\[tool\\.uv][^\\[]*\\n\\s*sources\\s*[=.]");

    private static final Pattern ARCHIVE = Pattern.compile("[A-Za-z0-9@][A-Za-z0-9@._+!-]*");

    private final Preparation preparation;
    private final GitSpec git;
    private final Draft draft;

    private GitBuild(Preparation preparation, GitSpec git, Draft draft) {
        this.preparation = preparation;
        this.git = git;
        this.draft = draft;
    }

    /** What makes this draft, one after the other. */
    static List<InstallStep> steps(Preparation preparation, GitSpec git, Draft draft) {
        CacheLayout.make(draft.source());
        CacheLayout.make(draft.packed());
        return new GitBuild(preparation, git, draft).steps();
    }

    /** What tells which commits a repository has. */
    static InstallStep look(Preparation preparation, GitSpec git, Draft draft) {
        var command = new ArrayList<>(List.of("git", "ls-remote", "-q", "--", git.url()));
        command.addAll(GitReferences.wanted(git.reference()));
        return new InstallStep(
                InstallStep.GIT,
                () ->
                        Preparation.builder(
                                draft.home(),
                                ServerRuntime.NODE,
                                command,
                                GitEnvironment.of(preparation.environment()),
                                List.of()));
    }

    private List<InstallStep> steps() {
        var steps = new ArrayList<InstallStep>();
        steps.add(new InstallStep(InstallStep.GIT, this::fetch));
        switch (preparation.line().manager()) {
            case NPM -> {
                steps.add(new InstallStep("npm", this::dependencies));
                if (preparation.scripts()) {
                    steps.add(new InstallStep("npm rebuild", () -> script("rebuild")));
                }
                steps.add(new InstallStep("npm run prepare", () -> script("run")));
                steps.add(new InstallStep("npm pack", this::pack));
                steps.add(new InstallStep("npm", () -> preparation.npm(draft, archive(".tgz"))));
                if (preparation.scripts()) {
                    steps.add(new InstallStep("npm", () -> preparation.npmScripts(draft)));
                }
            }
            case UV -> {
                steps.add(new InstallStep("uv build", this::wheel));
                steps.add(new InstallStep("uv", () -> preparation.uv(draft, archive(".whl"))));
            }
        }
        steps.add(new InstallStep("chmod", () -> preparation.readable(draft)));
        return steps;
    }

    private Mount source() {
        return preparation.isolation().mount(draft.source(), SOURCE, true);
    }

    private Mount packed() {
        return preparation.isolation().mount(draft.packed(), PACKED, true);
    }

    private ServerProgram fetch() {
        var source = source();
        var command =
                List.of(
                        "sh",
                        "-c",
                        FETCH,
                        "sh",
                        git.url(),
                        String.valueOf(git.reference()),
                        source.inside().toString());
        return Preparation.builder(
                draft.home(),
                ServerRuntime.NODE,
                command,
                GitEnvironment.of(preparation.environment()),
                List.of(source));
    }

    /** What the package's own build needs; nothing of it runs yet. Null where it has no build. */
    private @Nullable ServerProgram dependencies() throws PackageException {
        if (!builds()) {
            return null;
        }
        var source = source();
        return preparation.npm(
                draft,
                List.of(source),
                source.inside().resolve(git.path()),
                List.of("--include=dev", "--force")); // As npm prepares a repository itself.
    }

    private @Nullable ServerProgram script(String what) throws PackageException {
        if (!builds()) {
            return null;
        }
        var source = source();
        var command = preparation.npm(what, source.inside().resolve(git.path()));
        command.add("--ignore-scripts=false");
        if (what.equals("run")) {
            command.add("prepare");
        }
        return Preparation.builder(
                draft.scriptsHome(), ServerRuntime.NODE, command, build(), List.of(source));
    }

    /** Without a jail {@code PATH} says where node is; in one it is dropped. */
    private Map<String, String> build() {
        var variables = new HashMap<>(preparation.environment());
        variables.keySet().retainAll(List.of("PATH"));
        variables.putAll(GitEnvironment.ofBuilds());
        return variables;
    }

    private ServerProgram pack() {
        var source = source();
        var packed = packed();
        var command = readable(packed);
        command.addAll(preparation.npm("pack", packed.inside()));
        command.addAll(
                List.of(
                        "--ignore-scripts",
                        "--pack-destination",
                        packed.inside().toString(),
                        "--",
                        source.inside().resolve(git.path()).toString()));
        return Preparation.builder(
                draft.scriptsHome(), ServerRuntime.NODE, command, build(), List.of(source, packed));
    }

    private ServerProgram wheel() throws PackageException {
        if (!isFile("pyproject.toml") && !isFile("setup.py")) {
            throw failed("has neither pyproject.toml nor setup.py");
        }
        if (namesSources(inSource("pyproject.toml"))
                || namesSources(draft.source().resolve("pyproject.toml"))) {
            throw failed(
                    "says in tool.uv.sources where its dependencies are, which a built package does"
                            + " not keep: set GIT_TERMINAL_PROMPT=0 in the server's env to run the"
                            + " command as written");
        }
        var source = source();
        var packed = packed();
        var command = readable(packed);
        command.addAll(
                List.of(
                        preparation.manager().toString(),
                        "build",
                        "--wheel",
                        "--out-dir",
                        packed.inside().toString(),
                        source.inside().resolve(git.path()).toString()));
        var tools = preparation.tools(draft);
        var directed = preparation.directed(tools);
        directed.putAll(GitEnvironment.ofBuilds());
        return Preparation.builder(
                draft.scriptsHome(),
                ServerRuntime.PYTHON,
                command,
                directed,
                List.of(source, packed, tools));
    }

    /** A wheel keeps names only: whoever has them in the registry would be installed. */
    private boolean namesSources(Path file) throws PackageException {
        if (!Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            return false;
        }
        try (var content = Files.newInputStream(file, LinkOption.NOFOLLOW_LINKS)) {
            return SOURCES.matcher(new String(content.readNBytes(LARGEST_MANIFEST), UTF_8)).find();
        } catch (IOException e) {
            throw failed("has a pyproject.toml that cannot be read");
        }
    }

    private static List<String> readable(Mount packed) {
        return new ArrayList<>(List.of("sh", "-c", READABLE, packed.inside().toString()));
    }

    /** The one archive that was made, for who installs it and sees nothing else of the build. */
    private Mount archive(String suffix) throws PackageException {
        try (var found = Files.list(draft.packed())) {
            var archives =
                    found.filter(file -> file.toString().endsWith(suffix))
                            .filter(
                                    file ->
                                            ARCHIVE.matcher(file.getFileName().toString())
                                                    .matches())
                            .filter(file -> Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS))
                            .limit(2)
                            .toList();
            if (archives.size() == 1) {
                var file = archives.getFirst();
                return preparation
                        .isolation()
                        .mount(file, TOP.resolve(file.getFileName().toString()), false);
            }
        } catch (IOException e) {
            throw failed("cannot be read as it was built (%s)".formatted(e.getMessage()));
        }
        throw failed("does not make one package");
    }

    /** Whether the package has a build of its own, by its manifest. */
    private boolean builds() throws PackageException {
        if (!isFile("package.json")) {
            throw failed("has no package.json");
        }
        try (var content =
                Files.newInputStream(inSource("package.json"), LinkOption.NOFOLLOW_LINKS)) {
            var scripts = Json.tree(content.readNBytes(LARGEST_MANIFEST)).get("scripts");
            return scripts != null && scripts.has("prepare");
        } catch (IOException | InvalidRecordException e) {
            throw failed("has a package.json that cannot be read");
        }
    }

    private boolean isFile(String name) {
        return Files.isRegularFile(inSource(name), LinkOption.NOFOLLOW_LINKS);
    }

    private Path inSource(String name) {
        return draft.source().resolve(git.path()).resolve(name);
    }

    private PackageException failed(String what) {
        return new PackageException(
                "The package %s could not be prepared: the commit %s of %s %s%s"
                        .formatted(
                                preparation.line().spec(),
                                git.brief(),
                                git.url(),
                                what,
                                git.path().isEmpty() ? "" : " in " + git.path()));
    }
}
