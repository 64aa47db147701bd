package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.json.Json;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.fleet.PopularServers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.JsonNodeFactory;

/** Neither root nor any capability: jails as the images make them. */
@DisplayName("TEN-12: in the jails of a worker in its container")
@NeedsProgram({Program.RUNC, Program.BUBBLEWRAP, Program.PYTHON, Program.GIT})
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ContainedServersTest {
    /** Each part of Python's library that asks something of its own of the kernel. */
    private static final String PYTHON =
            """
            import asyncio, concurrent.futures, multiprocessing, os, socket, sqlite3, ssl, subprocess, tempfile, threading

            async def child():
                process = await asyncio.create_subprocess_exec("git", "--version", stdout=subprocess.PIPE)
                return (await process.communicate())[0]

            def listen(server):
                peer = server.accept()[0]
                peer.sendall(b"x" * 100000)
                peer.close()

            assert asyncio.run(child()).startswith(b"git version")
            with multiprocessing.Pool(2) as pool:
                assert sum(pool.map(abs, [-1, -2])) == 3
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                assert sum(pool.map(abs, [-1, -2])) == 3
            database = sqlite3.connect(os.environ["HOME"] + "/notes.db")
            database.execute("create table note (text)")
            database.commit()
            with socket.create_server(("127.0.0.1", 0)) as server:
                threading.Thread(target=listen, args=[server]).start()
                with socket.create_connection(server.getsockname()) as client, tempfile.TemporaryFile() as file:
                    while text := client.recv(4096):
                        file.write(text)
                    assert file.tell() == 100000
            ssl.create_default_context()
            os.chdir(os.environ["HOME"])
            for line in ["git init -q r", "git -C r -c user.name=a -c user.email=a commit -qm first --allow-empty", "git clone -q r s", "git -C s log"]:
                subprocess.run(line.split(), check=True, capture_output=True)
            print("all")
            """;

    @TempDir private static Path directory;
    @TempDir private static Path folder;
    private ContainedFleet contained;

    @BeforeAll
    void start() throws Exception {
        var npmrc = Files.writeString(folder.resolve("npmrc"), PopularServers.npmrc());
        var shown = new ArrayList<>(List.of(Fixtures.pythonScript(), npmrc));
        var cafile = PopularServers.npm("cafile");
        if (!cafile.isEmpty()) {
            shown.add(Path.of(cafile));
        }
        contained =
                ContainedFleet.start(
                        "contained-servers",
                        directory,
                        Compose.read().at("/services/worker-1"),
                        Map.of("packages.npmrc", npmrc.toString()),
                        shown);
    }

    @AfterAll
    void end() {
        if (contained != null) {
            contained.close();
        }
    }

    @Test
    @DisplayName("a server of python works with processes, threads, files, sockets, sqlite and git")
    void python() {
        var server = contained.install(HostileServers.server("library"));
        var arguments = JsonNodeFactory.instance.objectNode().put("program", PYTHON);
        arguments.putArray("words");

        assertThat(
                        contained
                                .fleet()
                                .backend()
                                .text(
                                        server,
                                        "run",
                                        new String(Json.write(arguments), StandardCharsets.UTF_8)))
                .isEqualTo("all\n");
    }

    @Tag("long")
    @ParameterizedTest(name = "{0}")
    @MethodSource("dev.perigee.testing.fleet.PopularServers#all")
    @DisplayName("a popular server answers, prepared and as npx runs it")
    void popular(PopularServers.Popular server) throws Exception {
        new PopularServers(contained.fleet()).answers(server);
    }
}
