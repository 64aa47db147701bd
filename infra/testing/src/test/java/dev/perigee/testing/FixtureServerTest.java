package dev.perigee.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@DisplayName("Fixture F does what it is told")
final class FixtureServerTest {

    private final ArrayList<PipedServer> started = new ArrayList<>();

    private PipedServer start(String... flags) throws IOException {
        var server = PipedServer.start(Fixtures.args(flags));
        started.add(server);
        return server;
    }

    private PipedServer ready(String... flags) throws IOException, InterruptedException {
        var server = start(flags);
        assertThat(server.handshake().at("/result/serverInfo/name").asString()).isEqualTo("f");
        return server;
    }

    @AfterEach
    void stop() {
        started.forEach(PipedServer::close);
    }

    @Test
    void tellsAboutItself() throws Exception {
        var f = ready("--term-exit", "143");
        assertThat(f.tool("pid", "{}")).isEqualTo(Long.toString(f.pid()));
        assertThat(f.tool("echo", "{\"message\":\"grüß\"}")).isEqualTo("grüß");
        assertThat(f.tool("args", "{}")).isEqualTo("[\"--term-exit\",\"143\"]");
        assertThat(f.tool("env", "{\"name\":\"PATH\"}")).isEqualTo(System.getenv("PATH"));
        assertThat(f.tool("limits", "{}")).contains("Max open files");
        assertThat(f.tool("record", "{}")).contains("initialize", "notifications/initialized");
    }

    @Test
    void listsToolsResourcesAndPrompts() throws Exception {
        var f = ready();
        assertThat(f.call("tools/list", "{}").at("/result/tools/0/name").asString())
                .isEqualTo("pid");
        f.tool("tools_set", "{\"tools\":[\"echo\",\"my:own\"]}");
        assertThat(f.call("tools/list", "{}").at("/result/tools/1/name").asString())
                .isEqualTo("my:own");
        assertThat(f.noise()).anyMatch(line -> line.contains("tools/list_changed"));
        assertThat(f.call("resources/list", "{}").at("/result/resources").size()).isEqualTo(2);
        assertThat(f.call("resources/read", "{\"uri\":\"f://greeting\"}").toString())
                .contains("hello");
        assertThat(f.call("prompts/list", "{}").toString()).contains("greet");
        assertThat(
                        f.call(
                                        "prompts/get",
                                        "{\"name\":\"greet\",\"arguments\":{\"who\":\"you\"}}")
                                .toString())
                .contains("Greet you");
    }

    @Test
    void answersOutOfOrderInPiecesAndTogether() throws Exception {
        var f = ready();
        int slow = f.toolRequest("sleep", "{\"ms\":300}");
        assertThat(f.tool("echo", "{\"message\":\"fast\"}")).isEqualTo("fast");
        assertThat(f.answer(slow).toString()).contains("slept 300");
        assertThat(f.tool("split", "{\"json\":\"ü\"}")).isEqualTo("ü");
        assertThat(f.tool("big", "{\"bytes\":1000000}")).hasSize(1_000_000);
        int first = f.toolRequest("pair", "{\"message\":\"one\"}");
        assertThat(f.tool("pair", "{\"message\":\"two\"}")).isEqualTo("two");
        assertThat(f.answer(first).toString()).contains("one");
    }

    @Test
    void makesNoise() throws Exception {
        var f = ready("--garbage-on-start", "--stderr-on-start", "about to serve");
        assertThat(f.nextError()).isEqualTo("about to serve");
        assertThat(f.noise()).contains("this is not JSON");
        assertThat(f.tool("garbage", "{}")).isEqualTo("after garbage");
        assertThat(f.tool("notify", "{\"n\":100}")).isEqualTo("notified");
        assertThat(f.noise()).filteredOn(l -> l.contains("notifications/message")).hasSize(100);
        f.tool("stderr", "{\"n\":2,\"text\":\"line\"}");
        assertThat(f.nextError()).isEqualTo("line 1");
        assertThat(f.nextError()).isEqualTo("line 2");
        assertThat(f.tool("tool_error", "{\"text\":\"bad\"}")).isEqualTo("bad");
        assertThat(f.tool("rpc_error", "{\"message\":\"worse\"}")).contains("worse");
    }

    @Test
    void asksTheClient() throws Exception {
        var f = ready("--ask");
        f.tool("pid", "{}");
        assertThat(f.noise()).hasSize(3).first().asString().contains("roots/list", "\"id\":0");
    }

    @Test
    void diesAsOrdered() throws Exception {
        var crashed = ready();
        crashed.toolRequest("crash", "{\"code\":7}");
        assertThat(crashed.exitCode()).isEqualTo(7);
        var killed = ready();
        killed.toolRequest("raise", "{\"signal\":\"KILL\"}");
        assertThat(killed.exitCode()).isEqualTo(128 + 9);
        var ended = ready();
        ended.toolRequest("exit0", "{}");
        assertThat(ended.exitCode()).isZero();
        assertThat(start("--crash-on-start").exitCode()).isEqualTo(1);
        var inHandshake = start("--crash-on-initialize");
        inHandshake.request("initialize", "{}");
        assertThat(inHandshake.exitCode()).isEqualTo(1);
    }

    @Test
    void leavesOrStaysAtTheEndOfItsInputAndAtSigterm() throws Exception {
        var polite = ready();
        polite.endInput();
        assertThat(polite.exitCode()).isZero();
        var terminated = ready("--term-exit", "143");
        terminated.signal("TERM");
        assertThat(terminated.nextError()).isEqualTo("received SIGTERM");
        assertThat(terminated.exitCode()).isEqualTo(143);
        var stubborn = ready("--ignore-term", "--ignore-eof");
        stubborn.endInput();
        assertThat(stubborn.nextError()).isEqualTo("end of stdin");
        stubborn.signal("TERM");
        assertThat(stubborn.nextError()).isEqualTo("received SIGTERM");
        assertThat(stubborn.alive()).isTrue();
    }

    @Test
    void failsTheHandshakeAndTheList() throws Exception {
        var anonymous = start("--no-serverinfo");
        assertThat(anonymous.handshake().at("/result/serverInfo").isMissingNode()).isTrue();
        var broken = ready("--list-error", "1");
        assertThat(broken.call("tools/list", "{}").has("error")).isTrue();
        assertThat(broken.call("tools/list", "{}").has("result")).isTrue();
    }

    @Test
    void countsOnDiskAndForks(@TempDir Path folder) throws Exception {
        var file = folder.resolve("count");
        var f = ready("--counter-file", file.toString(), "--fork");
        assertThat(f.tool("counter", "{}")).isEqualTo("1");
        assertThat(f.tool("counter_idempotent", "{\"line\":\"b\"}")).isEqualTo("2");
        assertThat(Files.readString(file)).isEqualTo("x\nb\n");
        var child = f.tool("children", "{}").replaceAll("\\D", "");
        assertThat(ProcessHandle.of(Long.parseLong(child))).isPresent();
    }
}
