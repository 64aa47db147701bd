package dev.perigee.worker.instance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.command.CommandOutcome;
import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.config.TransportType;
import dev.perigee.protocol.event.EventBody;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.link.InstanceOrder.Cause;
import dev.perigee.worker.process.packages.GitHost;
import dev.perigee.worker.process.packages.PackageRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.ObjectNode;

/** Servers of repositories, which real git fetches over HTTPS; uv is a double. */
@DisplayName("OPS-18: servers from git")
@NeedsProgram(Program.GIT)
final class GitServersTest {
    private static final String SECRET = "s3cret-of-the-server";
    private static final String MANIFEST =
            "{\"name\":\"@probe/git\",\"version\":\"1.0.0\",\"bin\":{\"probe\":\"server.mjs\"}%s}";

    @TempDir Path folder;
    private final PackageRegistry registry = new PackageRegistry();
    private GitHost host;
    private InstanceBench bench = new InstanceBench();

    @BeforeEach
    void open() throws Exception {
        host = new GitHost(folder);
        with("packages.refresh-branches-after", "1ms");
    }

    @AfterEach
    void end() {
        bench.close();
        host.close();
        registry.close();
    }

    private void with(String... settings) {
        bench.close();
        var map = new HashMap<String, String>();
        for (int at = 0; at < settings.length; at += 2) {
            map.put(settings[at], settings[at + 1]);
        }
        bench = new InstanceBench(map);
    }

    /** The test server, of which this is the last tool. */
    private static String script(String mark) throws IOException {
        try (var script =
                Objects.requireNonNull(InstanceBench.class.getResourceAsStream("/server.mjs"))) {
            return "#!/usr/bin/env node\n"
                    + new String(script.readAllBytes(), StandardCharsets.UTF_8)
                            .replace("'record', 'big'", "'record', 'big', '" + mark + "'");
        }
    }

    private String commit(String mark) throws Exception {
        return host.commit(
                "server",
                Map.of("package.json", MANIFEST.formatted(""), "server.mjs", script(mark)));
    }

    private ServerConfig npx(String id, String spec) {
        return program(id, "npx", "-y", spec, "--x");
    }

    private ServerConfig program(String id, String command, String... args) {
        var env = new HashMap<>(registry.environment());
        env.put("SSL_CERT_FILE", host.certificate().toString());
        env.put("API_KEY", SECRET);
        return InstanceBench.program(id, TransportType.STDIO, command, List.of(args), env, null);
    }

    private String spec(String reference) {
        return "git+" + host.url("server") + reference;
    }

    private void install(ServerConfig config) {
        var outcome = bench.configure(config);
        assertThat(outcome.outcome()).as("%s", outcome).isEqualTo(CommandOutcome.COMPLETED);
        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ONLINE);
    }

    private String mark(ServerConfig config) {
        return bench.snapshot(config).tools().getLast().toolName();
    }

    private boolean isDirectChild(ServerConfig config) {
        var parent = ProcessHandle.of(bench.pid(config)).flatMap(ProcessHandle::parent);
        return parent.filter(ProcessHandle.current()::equals).isPresent();
    }

    private void restart(ServerConfig config) {
        bench.settle(bench.instances.restart(bench.order(config.processId())));
        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ONLINE);
    }

    private static ServerConfig changed(ServerConfig config, String... fields) {
        var json = (ObjectNode) Json.tree(Json.write(config));
        json.put("source", "github");
        for (int at = 0; at < fields.length; at += 2) {
            json.put(fields[at], fields[at + 1]);
        }
        return Json.convert(json, ServerConfig.class);
    }

    private String error(ServerConfig config) {
        var outcome = bench.configure(config);
        assertThat(outcome.outcome()).as("%s", outcome).isEqualTo(CommandOutcome.FAILED);
        assertThat(bench.snapshot(config).status()).isEqualTo(ServerStatus.ERROR);
        return Objects.requireNonNull(outcome.error()).message();
    }

    @Test
    @DisplayName("are run by their branch, notice that it moves, and are kept per commit")
    void followsABranch() throws Exception {
        var first = commit("first");
        var branch = npx("a", spec("#main"));

        install(branch);

        assertThat(isDirectChild(branch)).isTrue();
        assertThat(mark(branch)).isEqualTo("first");
        assertThat(bench.text(branch, "args", Map.of())).isEqualTo("[\"--x\"]");
        assertThat(bench.text(branch, "env", Map.of("name", "API_KEY"))).isEqualTo(SECRET);
        assertThat(bench.journal(branch).all(EventBody.StatusChanged.class))
                .last()
                .extracting(EventBody.StatusChanged::serverVersion)
                .isEqualTo("1.0.0+" + first.substring(0, 12));

        var second = commit("second");
        restart(branch);
        assertThat(mark(branch)).isEqualTo("second");

        int asked = host.requests();
        host.close();
        var old = npx("b", spec("#" + first));
        install(old);
        install(npx("c", spec("#" + second)));
        assertThat(mark(old)).isEqualTo("first");
        restart(branch);
        assertThat(mark(branch)).isEqualTo("second");
        assertThat(host.requests()).isEqualTo(asked);
    }

    @Test
    @DisplayName("are at the commit or branch of their configuration, in the form of the program")
    void readsTheConfiguration() throws Exception {
        var first = commit("first");
        host.git("server", "branch", "old");
        host.git("server", "tag", "-a", "v1", "-m", "tag");
        var second = commit("second");
        var config = npx("a", spec(""));

        bench.apply(changed(config, "git_commit_sha", first), Cause.CREATED);
        assertThat(mark(config)).isEqualTo("first");
        assertThat(isDirectChild(config)).isTrue();
        bench.apply(changed(config, "git_commit_sha", second), Cause.REDEPLOYED);
        assertThat(mark(config)).isEqualTo("second");

        var branch = npx("b", spec(""));
        install(changed(branch, "git_branch", "old"));
        assertThat(mark(branch)).isEqualTo("first");
        var tag = npx("c", spec("#v1"));
        install(changed(tag, "git_branch", "main"));
        assertThat(mark(tag)).isEqualTo("first");
        var unnamed = npx("d", spec(""));
        install(unnamed);
        assertThat(mark(unnamed)).isEqualTo("second");
    }

    @Test
    @DisplayName("stay at the commit before where the newest cannot be built")
    void staysWhereTheNewestDoesNotBuild() throws Exception {
        commit("first");
        var branch = npx("a", spec("#main"));
        install(branch);
        host.commit(
                "server",
                Map.of(
                        "package.json",
                        MANIFEST.formatted(",\"scripts\":{\"prepare\":\"exit 7\"}")));

        restart(branch);

        assertThat(mark(branch)).isEqualTo("first");
    }

    @Test
    @DisplayName("are built without the server's secrets, and other packages' scripts")
    void builds() throws Exception {
        registry.publish(
                "dependency",
                "1.0.0",
                Map.of(),
                Map.of("index.js", ""),
                Map.of("postinstall", "node -e \"require('fs').writeFileSync('ran','')\""));
        host.commit(
                "server",
                Map.of(
                        "package.json",
                        MANIFEST.formatted(
                                ",\"dependencies\":{\"dependency\":\"1.0.0\"},\"files\":[\"server.mjs\"],"
                                        + "\"scripts\":{\"prepare\":\"node build.mjs\"}"),
                        "template.mjs",
                        script("MARK"),
                        ".npmrc",
                        "script-shell=/bin/false\n",
                        "build.mjs",
                        """
                        import fs from 'node:fs';
                        const seen = (process.env.API_KEY ? 'secret' : 'built')
                          + (fs.existsSync('node_modules/dependency/ran') ? 'Scripts' : '');
                        fs.writeFileSync('server.mjs',
                          fs.readFileSync('template.mjs', 'utf8').replace('MARK', seen), {mode: 0o755});
                        """));
        var without = npx("a", spec("#main"));
        install(without);
        assertThat(mark(without)).isEqualTo("built");
        assertThat(isDirectChild(without)).isTrue();

        with("packages.scripts", "other," + host.authority() + "/*");
        var allowed = npx("b", spec("#main"));
        install(allowed);
        assertThat(mark(allowed)).isEqualTo("builtScripts");
    }

    @Test
    @DisplayName("tell their user what went wrong")
    void tellsWhatWentWrong() throws Exception {
        commit("first");
        host.commit("empty", Map.of("README", "nothing"));
        host.commit(
                "broken",
                Map.of(
                        "package.json",
                        MANIFEST.formatted(
                                ",\"scripts\":{\"prepare\":\"echo Error: no compiler >&2; exit 7\"}"),
                        "server.mjs",
                        script("broken")));

        assertThat(error(npx("a", "git+" + host.url("nowhere"))))
                .contains("there is no repository " + host.url("nowhere"));
        assertThat(error(npx("b", spec("#nowhere"))))
                .contains("has no branch or tag 'nowhere': push it, or correct the name");
        assertThat(error(npx("c", spec("#" + "0123456789".repeat(4)))))
                .contains("has no commit " + "0123456789".repeat(4));
        assertThat(error(npx("d", "git+" + host.url("empty")))).contains("has no package.json");
        assertThat(error(npx("e", "git+" + host.url("broken"))))
                .contains("npm run prepare ended with exit code 7")
                .contains("no compiler")
                .contains("check that the repository builds");
        host.refuse(401);
        assertThat(error(npx("f", spec("#other"))))
                .contains("reading it needs credentials")
                .doesNotContain("registry");
        host.refuse(503);
        assertThat(error(npx("g", spec("#other")))).contains("cannot be reached from this worker");
        host.close();
        assertThat(error(npx("h", spec("#other")))).contains("cannot be reached from this worker");
        install(InstanceBench.server("i"));
    }

    @Test
    @DisplayName("need git on the worker, which nothing else does")
    void needsGit() throws Exception {
        commit("first");
        var bin = Files.createDirectory(folder.resolve("bin"));
        for (var name : List.of("node", "npm", "npx", "sh", "env", "chmod")) {
            Files.createSymbolicLink(bin.resolve(name), found(name));
        }
        registry.publish("plain", "1.0.0", Map.of("p", "s.mjs"), Map.of("s.mjs", script("plain")));
        var plain = onPath(bin, npx("a", "plain"));

        install(plain);
        assertThat(isDirectChild(plain)).isTrue();
        assertThat(error(onPath(bin, npx("b", spec("#main")))))
                .contains("git is not installed on the worker");
    }

    private static ServerConfig onPath(Path bin, ServerConfig config) {
        var json = (ObjectNode) Json.tree(Json.write(config));
        ((ObjectNode) json.get("env")).put("PATH", bin.toString());
        return Json.convert(json, ServerConfig.class);
    }

    private static Path found(String name) {
        return Stream.of(System.getenv("PATH").split(":"))
                .map(directory -> Path.of(directory, name))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow();
    }

    @Test
    @DisplayName("cannot read by links what only npm may read")
    void followsNoLinks() throws Exception {
        host.commit("server", Map.of("server.mjs", script("x")));
        var secret = Files.writeString(folder.resolve("npmrc"), "//host/:_authToken=hidden");
        host.link("server", "package.json", secret);
        host.commit("server", Map.of());

        assertThat(error(npx("a", spec("#main"))))
                .contains("package.json")
                .doesNotContain("hidden");
    }

    @Test
    @DisplayName("are built by uv, too, which reads a commit behind an @")
    void buildsByUv() throws Exception {
        var bin = Files.createDirectory(folder.resolve("uv"));
        for (var name : List.of("uv", "uvx")) {
            try (var content = InstanceBench.class.getResourceAsStream("/uv/" + name)) {
                Files.write(bin.resolve(name), Objects.requireNonNull(content).readAllBytes());
            }
            assertThat(bin.resolve(name).toFile().setExecutable(true)).isTrue();
        }
        host.commit("server", Map.of("README", "none yet"));
        var first =
                host.commit("server", Map.of("pyproject.toml", "[project]\nname='probe-tool'\n"));
        var log = folder.resolve("log");

        for (var args :
                List.of(
                        List.of("--from", spec(""), "probe-tool", "--x"),
                        List.of(spec("@main"), "--x"),
                        List.of("--from", spec("@" + first), "probe-tool", "--x"))) {
            var config = program("u" + args.size() + args.getFirst().length(), "uvx");
            var json = (ObjectNode) Json.tree(Json.write(config));
            var env = (ObjectNode) json.get("env");
            env.put("PATH", bin + ":" + System.getenv("PATH"));
            env.put("UV_PROBE_LOG", log.toString());
            env.put(
                    "UV_PROBE_SERVER",
                    Path.of(InstanceBench.class.getResource("/server.mjs").toURI()).toString());
            json.set("args", Json.tree(Json.write(args)));
            var complete = Json.convert(json, ServerConfig.class);
            install(complete);
            assertThat(bench.text(complete, "args", Map.of())).isEqualTo("[\"--x\"]");
            bench.settle(bench.instances.remove(bench.order(complete.processId())));
        }
        assertThat(Files.readAllLines(log))
                .containsExactly("build", "probe_tool-1.0-py3-none-any.whl --no-build");
    }
}
