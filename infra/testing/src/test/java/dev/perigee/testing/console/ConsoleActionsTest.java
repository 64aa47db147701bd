package dev.perigee.testing.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.fleet.Backend;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import dev.perigee.testing.fleet.Records;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.utils.Utils;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;

/** One fleet with people of each role, and a browser. */
@DisplayName("Actions of the console, in Chromium,")
@NeedsProgram(Program.CHROMIUM)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ConsoleActionsTest {
    private static final String READER = "reader-0123456789abcdef";
    private static final String OPERATOR = "operator-0123456789abcdef";
    private static final String ADMIN = "admin-0123456789abcdef";
    private static final String SCRIPT = "<img src=x onerror=window.ran=1>";
    private static final String ROWS = "document.querySelectorAll('#rows tr').length";

    private LoginProvider provider;
    private FleetUnderTest fleet;
    private Backend backend;
    private Chromium chromium;
    private Page page;
    private Installation files;

    /** While it is there. */
    private Path carolMayStart;

    @BeforeAll
    void start(@TempDir Path directory) throws Exception {
        carolMayStart = Files.createFile(directory.resolve("carol-may-start"));
        chromium = Chromium.start(Program.CHROMIUM.path());
        provider = new LoginProvider();
        fleet =
                FleetUnderTest.named("console-actions")
                        .gateways(1)
                        .workers(2)
                        .gateway("admin.token", "unused-token")
                        .gateway(
                                "console.tokens",
                                "rita read %s\nolga operate %s\nada admin %s"
                                        .formatted(READER, OPERATOR, ADMIN))
                        .gateway("console.oidc.issuer", provider.issuer())
                        .gateway("console.oidc.client-id", "perigee")
                        .gateway("console.oidc.client-secret", LoginProvider.SECRET)
                        .gateway("console.oidc.redirect-url", LoginProvider.REDIRECT)
                        .gateway("console.oidc.operate-values", "ops")
                        .worker("heartbeat.interval", "2s")
                        // Carol's start is to go on until a run is stopped.
                        .worker("mcp.handshake-timeout", "110s")
                        .start();
        provider.console(fleet.part("gateway-1").field("admin") + "/console");
        backend = fleet.backend();
        files = server("alice", "Shared files");
        backend.install(
                List.of(
                        files,
                        server("bob", SCRIPT),
                        server("carol", "Of Carol", "--init-when", carolMayStart.toString())));
    }

    private static Installation server(String user, String name, String... flags) {
        return new Installation(
                        "filesystem",
                        "1f0c",
                        "acme",
                        user,
                        Fixtures.NODE,
                        Fixtures.args(flags),
                        Map.of(),
                        JsonNodeFactory.instance.objectNode())
                .with("installation_name", name);
    }

    @AfterAll
    void end() {
        if (fleet != null) {
            fleet.close();
        }
        if (provider != null) {
            provider.close();
        }
        if (chromium != null) {
            chromium.close();
        }
    }

    @BeforeEach
    void open() {
        page = chromium.page();
        page.size(1280, 800);
        page.open(fleet.part("gateway-1").field("admin") + "/console");
        page.await("document.activeElement.id === 'token'");
    }

    @AfterEach
    void nothingToComplainOf() {
        assertThat(page.eval("window.ran === undefined").asBoolean()).isTrue();
        assertThat(page.problems()).isEmpty();
        page.click("#logout");
        page.await("document.activeElement.id === 'token'");
    }

    private void login(String token) {
        page.type(token);
        page.press("Enter");
        page.await(ROWS + " === 3");
    }

    private void look(String name) {
        page.press("/");
        page.type(name);
        page.press("Enter");
        page.awaitText("#detail", name); // Its title is the installation's name.
    }

    private void endsWell() {
        page.awaitText("#action-progress", "Done");
        assertThat(page.text("#action-error")).isEmpty();
        page.await("document.activeElement.id === 'action-close'");
        page.press("Enter");
        page.await("!document.getElementById('action').open");
    }

    @Test
    @DisplayName("OPS-05: restarts by the keyboard alone, with a reason that is on the audit topic")
    void restarts() throws Exception {
        login(OPERATOR);
        assertThat(page.text("#who")).isEqualTo("olga, operate");
        look("alice");
        page.press("a");
        page.await("document.activeElement.dataset.action === 'restart'");
        page.press("Enter");
        page.await("document.activeElement.id === 'action-reason'");
        assertThat(page.text("#action-what")).isEqualTo(files.processId());
        page.press("Enter");
        page.await("document.getElementById('action').open");
        assertThat(page.text("#action-progress")).isEmpty();

        page.type("a new network " + SCRIPT);
        page.screenshot("action");
        page.press("Enter");
        endsWell();
        // The focus is where it was.
        page.await("document.activeElement.dataset.action === 'restart'");
        page.awaitText("#panel-overview", "a new network " + SCRIPT);

        var audit =
                fleet.records()
                        .await(
                                Topic.AUDIT,
                                "a restart of alice's",
                                it ->
                                        it.text("action").equals("restart")
                                                && it.text("reason").startsWith("a new"));
        assertThat(audit.text("actor")).isEqualTo("olga");
        assertThat(audit.text("role")).isEqualTo("operate");
        assertThat(audit.text("reason")).isEqualTo("a new network " + SCRIPT);
        assertThat(audit.text("process_id")).isEqualTo(files.processId());
    }

    private void act(String action, String reason) {
        page.await("document.querySelector('#detail [data-action=%s]') !== null".formatted(action));
        page.click("#detail [data-action=%s]".formatted(action));
        page.await("document.getElementById('action').open");
        page.type(reason);
        page.press("Enter");
        endsWell();
    }

    @Test
    @DisplayName("OPS-05: blocks an installation and unblocks it")
    void blocks() throws Exception {
        login(OPERATOR);
        look("alice");

        act("block", "it sends spam");
        page.awaitText("#detail .message", "it sends spam");
        assertThat(backend.call(files, "echo", "{\"message\":\"hi\"}").text("error/code"))
                .isEqualTo("stopped");

        act("unblock", "it was another");
        page.awaitText("#detail .detail-status", "online");
        assertThat(backend.call(files, "echo", "{\"message\":\"hi\"}").text("outcome"))
                .isEqualTo("success");
    }

    @Test
    @DisplayName("OPS-05: disables a tool and enables it")
    void disablesATool() throws Exception {
        login(OPERATOR);
        look("alice");
        for (var action : List.of("disable_tool", "enable_tool")) {
            page.click("#detail [data-action=%s]".formatted(action));
            page.await("document.activeElement.id === 'action-tool'");
            page.type("echo");
            page.press("Tab");
            page.await("document.activeElement.id === 'action-reason'");
            page.type("it leaks");
            page.press("Enter");
            endsWell();
            boolean off = action.equals("disable_tool");
            assertThat(
                            backend.call(files, "echo", "{\"message\":\"hi\"}")
                                    .text(off ? "error/code" : "outcome"))
                    .isEqualTo(off ? "tool_disabled" : "success");
        }
    }

    @Test
    @DisplayName("OPS-05: acts on a group after its count was typed, and on its instances only")
    void actsOnAGroup() {
        login(OPERATOR);
        page.press("g");
        page.press("ArrowDown");
        page.awaitText("#rows tr:first-child", "filesystem: 3 users");
        page.press("j");
        page.await(
                "document.activeElement.id === 'group-by' || document.activeElement.tagName === 'TR'");
        page.eval("document.querySelector('#rows tr').focus()");
        page.press("a");
        page.await("document.activeElement.id === 'action-kind'");
        assertThat(page.text("#action-what")).isEqualTo("3 instances: filesystem");
        page.eval("document.getElementById('action-reason').focus()");
        page.type("a bad release");
        page.eval("document.getElementById('action-count').focus()");
        page.type("2");
        page.press("Enter");
        page.awaitText("#action-error", "Type 3 to confirm");
        page.press("Enter");
        page.eval("document.getElementById('action-count').select()");
        page.type("3");
        page.press("Enter");
        page.awaitText("#action-progress", "3 of 3 begun, 3 completed, 0 failed");
        endsWell();
    }

    @Test
    @DisplayName("OPS-05: stops an action on a group, and says that what was begun goes on")
    void stopsAGroup() throws Exception {
        login(OPERATOR);
        page.press("g");
        page.press("ArrowDown");
        page.awaitText("#rows tr:first-child", "filesystem: 3 users");
        page.eval("document.querySelector('#rows tr').focus()");
        Files.delete(carolMayStart);
        try {
            restartThree("a bad release");
            page.awaitText("#action-progress", "3 of 3 begun, 2 completed");
            page.click("#action-stop");
            page.awaitText("#action-error", "Stopped by olga. What was begun goes on");
            page.awaitText("#action-progress", "Ended early.");
            page.press("Escape");
            page.await("!document.getElementById('action').open");

            restartThree("a worse release");
            page.awaitText("#action-progress", "3 of 3 begun");
            page.press("Escape");
            page.awaitText("#action-runs", "Restart: 3 of 3 begun.");
            page.click("#action-runs button");
            page.await("document.querySelector('#action-runs p') === null");
        } finally {
            Files.createFile(carolMayStart);
        }
        var _ =
                fleet.records()
                        .await(
                                Topic.AUDIT,
                                "two stops",
                                2,
                                it ->
                                        it.text("outcome").equals("failed")
                                                && it.text("error")
                                                        .equals(
                                                                "Stopped by olga. At most 0 of 3"
                                                                        + " left."),
                                Records.PATIENCE);
        page.awaitText("#rows", "3 online");
    }

    private void restartThree(String reason) {
        page.eval("document.querySelector('#rows tr').focus()");
        page.press("a");
        page.await("document.activeElement.id === 'action-kind'");
        page.eval("document.getElementById('action-reason').focus()");
        page.type(reason);
        page.eval("document.getElementById('action-count').focus()");
        page.type("3");
        page.press("Enter");
    }

    /** Sends a record to another partition than that of its key; returns where the letter is of. */
    private String misrouted(String value) throws Exception {
        var key = files.key().getBytes(StandardCharsets.UTF_8);
        int right = Utils.toPositive(Utils.murmur2(key)) % fleet.partitions();
        var sent =
                backend.send(
                        new ProducerRecord<>(
                                "mcp.commands",
                                (right + 1) % fleet.partitions(),
                                key,
                                value.getBytes(StandardCharsets.UTF_8)));
        return fleet.records().deadLetter(sent).header("perigee-origin");
    }

    private String restart(String id) {
        return """
                {"id":"%s","command_type":"restart",
                 "payload":{"installation_id":"%s","team_id":"%s","user_id":"%s"}}
                """
                .formatted(id, files.installationId(), files.teamId(), files.userId());
    }

    private long completed(String command) {
        return fleet.records().on(Topic.COMMAND_RESULTS).stream()
                .filter(it -> it.text("command_id").equals(command))
                .filter(it -> it.text("outcome").equals("completed"))
                .count();
    }

    @Test
    @DisplayName(
            "OPS-05: puts dead letters back by the keyboard, and none that somebody else has put back")
    void redrives() throws Exception {
        var _ = misrouted(restart("redriven-here"));
        var there = misrouted(restart("redriven-there"));
        var _ = misrouted("{ no json");
        login(OPERATOR);
        page.press("d");
        page.awaitText("#letters-said", "3 dead letters, 3 not put back");
        page.screenshot("letters");

        var other =
                fleet.start(
                        "redrive",
                        List.of("redrive", "--bootstrap", fleet.bootstrap(), "--offset", there));
        assertThat(other.awaitExit()).as(other.output()).isZero();
        page.click("#letters-all");
        page.await("document.getElementById('letters-redrive').innerText === 'Redrive 3…'");
        ask("keys were mended", 3);
        page.awaitText("#action-error", "was put back before");
        page.press("Escape");
        page.awaitText("#letters-said", "3 dead letters, 2 not put back");

        // Both are selected still, and the one in focus is taken out and in again.
        page.press("j");
        page.await("document.activeElement.closest('#letter-rows tr') !== null");
        for (var selected : List.of("Redrive 1…", "Redrive 2…")) {
            page.press(" ");
            page.await(
                    "document.getElementById('letters-redrive').innerText === '%s'"
                            .formatted(selected));
        }
        ask("keys were mended " + SCRIPT, 2);
        page.awaitText("#action-progress", "2 of 2 begun, 1 completed, 1 failed");
        page.awaitText("#action-outcomes", "malformed");
        page.press("Escape");
        page.awaitText("#letters-said", "3 dead letters, 1 not put back");

        var audit =
                fleet.records()
                        .await(
                                Topic.AUDIT,
                                "a redrive",
                                it ->
                                        it.text("action").equals("redrive")
                                                && it.text("reason").endsWith(SCRIPT));
        assertThat(audit.text("actor")).isEqualTo("olga");
        assertThat(audit.text("role")).isEqualTo("operate");
        for (var command : List.of("redriven-here", "redriven-there")) {
            Awaitility.await()
                    .atMost(Records.PATIENCE)
                    .untilAsserted(() -> assertThat(completed(command)).isEqualTo(1));
        }
        page.size(320, 700);
        assertThat(page.eval("document.documentElement.scrollWidth").asInt()).isLessThan(321);
    }

    private void ask(String reason, int count) {
        page.press("a");
        page.await("document.activeElement.id === 'action-reason'");
        page.type(reason);
        page.press("Tab");
        page.await("document.activeElement.id === 'action-count'");
        page.type(Integer.toString(count));
        page.press("Enter");
    }

    @Test
    @DisplayName("OPS-05: drains a worker and takes it back, for admins only")
    void drains() {
        login(ADMIN);
        page.press("f");
        for (var action : List.of("drain", "undo_drain")) {
            page.await(
                    "document.querySelector('.card [data-action=%s]') !== null".formatted(action));
            page.click(".card [data-action=%s]".formatted(action));
            page.await("document.activeElement.id === 'action-reason'");
            page.type("a new kernel");
            page.press("Enter");
            page.awaitText("#action-progress", "Done");
            page.press("Enter");
            page.await("!document.getElementById('action').open");
        }
    }

    private void logInAtTheProvider() {
        page.await("document.getElementById('login-oidc').checkVisibility()");
        page.press("Tab");
        page.press("Tab");
        page.await("document.activeElement.getAttribute('href') === 'oidc/login'");
        page.press("Enter");
        page.await("document.activeElement.name === 'login'");
        page.type("olga@example");
        page.press("Tab");
        page.await("document.activeElement.name === 'password'");
        page.type("of no matter");
        page.press("Enter");
        page.await("document.querySelector('[name=prompt][value=consent]') !== null");
        page.eval("document.querySelector('button[type=submit]').click()");
    }

    @Test
    @DisplayName("OPS-05: logs in by a real provider, and acts under the name of its claims")
    void logsInByAProvider() {
        logInAtTheProvider();
        page.awaitText("#who", "oidc:olga (olga@example), operate");
        page.await(ROWS + " === 3");
        look("alice");
        act("restart", "as another");
        var audit =
                fleet.records()
                        .await(
                                Topic.AUDIT,
                                "a restart by oidc:olga",
                                it -> it.text("actor").equals("oidc:olga (olga@example)"));
        assertThat(audit.text("reason")).isEqualTo("as another");
    }

    @Test
    @DisplayName("OPS-05: shows a reader no button, and answers no request of his own making")
    void isNotForReaders() {
        login(READER);
        look("alice");
        assertThat(page.count("[data-action], button.act")).isZero();
        page.press("d");
        page.awaitText("#letters-said", "dead letter");
        assertThat(page.count("#view-letters [data-action], #view-letters [type=checkbox]"))
                .isZero();
        var asked =
                page.eval(
                        "fetch('api/actions', {method: 'POST', headers: {'Content-Type':"
                                + " 'application/json', 'X-Perigee-Console': '1'}, body:"
                                + " JSON.stringify({action: 'restart', process_ids: ['"
                                + files.processId()
                                + "'], reason: 'r'})}).then(it => it.status)");
        assertThat(asked.asInt()).isEqualTo(403);
    }

    @Test
    @DisplayName("OPS-05: fits a phone in the dark, and says its names to a screen reader")
    void fitsAndIsNamed() throws Exception {
        login(OPERATOR);
        look("alice");
        page.scheme("dark");
        for (int width : new int[] {320, 420, 760, 1024, 1920}) {
            page.size(width, 700);
            page.click("#detail [data-action=disable_tool]");
            page.await("document.getElementById('action').open");
            assertThat(page.eval("document.documentElement.scrollWidth").asInt())
                    .as("width %d", width)
                    .isLessThanOrEqualTo(width);
            assertThat(
                            page.eval(
                                            "(() => { const it ="
                                                    + " document.getElementById('action').getBoundingClientRect();"
                                                    + " return it.left >= 0 && it.right <= innerWidth; })()")
                                    .asBoolean())
                    .as("dialog at width %d", width)
                    .isTrue();
            if (width == 320) {
                page.screenshot("action-narrow-dark");
            }
            page.press("Escape");
            page.await("!document.getElementById('action').open");
        }
        assertThat(
                        page.eval(
                                        "[...document.querySelectorAll('#action input, #action select')]"
                                                + ".every(it => it.labels.length === 1) &&"
                                                + " [...document.querySelectorAll('#detail [data-action]')]"
                                                + ".every(it => it.getAttribute('aria-label').includes('filesystem'))")
                                .asBoolean())
                .isTrue();
    }
}
