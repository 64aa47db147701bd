package dev.perigee.testing.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.protocol.topic.Topic;
import dev.perigee.testing.Checkout;
import dev.perigee.testing.Fixtures;
import dev.perigee.testing.fleet.Backend;
import dev.perigee.testing.fleet.FleetUnderTest;
import dev.perigee.testing.fleet.Installation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.node.JsonNodeFactory;

/** One fleet and one browser for all; each test has a page of its own. */
@DisplayName("The console, in Chromium,")
@NeedsProgram(Program.CHROMIUM)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ConsoleTest {
    private static final String TOKEN = "console-token";
    private static final String ROW = "#rows tr";
    private static final String SCRIPT =
            "<img src=x onerror=window.ran=1><script>window.ran=1</script> is only text";

    private static final String HOSTILE =
            "paid\u202e gnp.exe \u2066\u200f\u061c\u001b[2J\u009b\u2028z";
    private static final String VISIBLE =
            "paid\\u202e gnp.exe \\u2066\\u200f\\u061c\\u001b[2J\\u009b\\u2028z";

    private FleetUnderTest fleet;
    private Backend backend;
    private Chromium chromium;
    private Page page;
    private Installation files;
    private Installation issues;

    @BeforeAll
    void start() throws Exception {
        chromium = Chromium.start(Program.CHROMIUM.path());
        fleet =
                FleetUnderTest.named("console")
                        .gateways(2)
                        .workers(2)
                        .faultyLinks()
                        .gateway("admin.token", TOKEN)
                        .worker("logs.batch-interval", "200ms")
                        .worker("logs.request-values", "true")
                        .worker("heartbeat.interval", "2s")
                        .worker("restart.delays", "1s")
                        .start();
        backend = fleet.backend();
        files = server("filesystem", "1f0c", "acme", "alice", "Shared files");
        issues = server("github", "77ab", "acme", "bob", "GitHub issues");
        var search = server("search", "90d2", "globex", "carol", "Product search " + HOSTILE);
        var broken =
                server("postgres", "c4e1", "globex", "dave", "Orders database", "--list-error");
        var dead = server("mailer", "5be0", "globex", "erin", "Newsletter");
        backend.configure(broken, "mcp_installation_created");
        backend.install(List.of(files, issues, search, dead));
        backend.status(broken, "error");
        for (int crash = 1; crash <= 3; crash++) {
            assertThat(backend.call(dead, "crash", "{\"code\":1}").text("error/code"))
                    .isEqualTo("crashed");
        }
        backend.status(dead, "permanently_failed");
    }

    private static Installation server(
            String slug, String id, String team, String user, String name, String... flags) {
        return new Installation(
                        slug,
                        id,
                        team,
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
        assertThat(page.problems()).isEmpty();
    }

    private void login() {
        page.type(TOKEN);
        page.press("Enter");
        page.await("document.querySelectorAll('%s').length === 5".formatted(ROW));
        page.awaitText("#live", "Live");
    }

    /** Opens an instance by the keyboard. */
    private void look(String name) {
        page.press("/");
        page.type(name);
        page.press("Enter");
        page.awaitText("#detail-title", name);
        page.press("/");
        page.press("Escape");
        page.press("Escape");
        page.await("document.querySelectorAll('%s').length === 5".formatted(ROW));
    }

    @Test
    @DisplayName("asks for the token, which no script can read afterwards")
    void asksForTheToken() throws Exception {
        page.screenshot("login");
        page.type("wrong");
        page.press("Enter");
        page.awaitText("#login-error", "not the token");
        assertThat(page.count(ROW)).isZero();

        login();

        assertThat(page.eval("document.cookie").asString()).isEmpty();
        assertThat(page.eval("Object.keys(localStorage).length").asInt()).isZero();
        page.click("#logout");
        page.await("document.activeElement.id === 'token'");
        assertThat(page.count(ROW)).isZero();
    }

    @Test
    @DisplayName("finds instances, worst first, and is used without a mouse")
    void searchedByKeyboard() throws Exception {
        login();
        page.awaitText(
                "#rows tr:first-child",
                "Process crashed 3 times in 5 minutes, at last: process exited with code 1");
        assertThat(page.text("#rows tr:first-child")).contains("Newsletter", "permanently failed");
        page.awaitText("#rows tr:nth-child(2)", "Tool discovery failed");
        assertThat(page.text("#rows tr:nth-child(2)"))
                .contains("Orders database", "postgres 1.0.0");
        assertThat(page.count("#rows [data-group=ok] .shape")).isEqualTo(3);
        page.screenshot("instances");

        page.press("/");
        page.type("acme online");
        page.await("document.querySelectorAll('%s').length === 2".formatted(ROW));
        assertThat(page.text("#list-count")).isEqualTo("2 of 5 instances");
        page.press("Escape");
        page.await("document.querySelectorAll('%s').length === 5".formatted(ROW));

        page.press("Escape");
        page.await("document.activeElement.closest('tr') !== null");
        assertThat(page.eval("document.activeElement.innerText").asString())
                .contains("GitHub issues");
        page.press("j");
        page.press("ArrowUp");
        page.press("k");
        assertThat(page.eval("document.activeElement.innerText").asString())
                .contains("Orders database");
        page.press("Enter");
        page.awaitText("#detail-title", "Orders database");
        assertThat(page.eval("document.activeElement.id").asString()).isEqualTo("detail");
        page.press("Escape");
        page.await("document.querySelector('#detail').hidden");
        assertThat(page.eval("document.activeElement.innerText").asString())
                .contains("Orders database");

        page.press("?");
        page.await("document.querySelector('#help').open");
        page.press("Escape");
        page.await("!document.querySelector('#help').open");
    }

    @Test
    @DisplayName("shows a crash and the restart as they happen")
    void crashLive() throws Exception {
        login();
        look("Shared files");
        page.await("document.querySelector('.facts').innerText.includes('pid ')");
        var pid = backend.text(files, "pid", "{}");
        page.awaitText(".facts", "pid " + pid);

        backend.call(files, "crash", "{\"code\":3}");

        page.awaitText("#panel-overview", "exit code 3 after");
        page.awaitText("#panel-overview", "restarts in 1.0 s");
        page.awaitText("#panel-overview", "pid " + pid + " → ");
        page.awaitText(".detail-status", "online");
        page.await("document.querySelectorAll('.stretch[data-group=ok]').length >= 2");
        page.await("document.querySelectorAll('.crash').length === 1");
        page.await(
                "[...document.querySelectorAll('#rows tr')].find(it => it.innerText.includes('Shared files')).children[3].innerText === '1'");
        var next = backend.text(files, "pid", "{}");
        page.awaitText(".facts", "pid " + next);
        page.screenshot("instance");
        page.size(420, 860);
        page.screenshot("instance-narrow");
        assertThat(page.eval("document.documentElement.scrollWidth").asInt())
                .isLessThanOrEqualTo(420);
    }

    @Test
    @DisplayName("shows logs and calls as they come, and runs nothing of them")
    void logsAndCallsLive() throws Exception {
        login();
        look("GitHub issues");
        page.press("l");
        page.scheme("dark");
        backend.call(issues, "stderr", "{\"text\":\"listening for events of 14 repositories\"}");
        page.awaitText(".log-lines", "listening for events");
        backend.call(issues, "stderr", "{\"text\":\"warning: 212 of 5000 requests are left\"}");
        backend.call(issues, "stderr", "{\"text\":\"error: repository archived, not found\"}");

        backend.call(issues, "stderr", "{\"text\":\"" + SCRIPT + "\"}");

        page.awaitText(".log-lines", SCRIPT);
        assertThat(page.eval("typeof window.ran").asString()).isEqualTo("undefined");
        assertThat(page.count(".log-lines img")).isZero();
        assertThat(page.count(".log-lines [data-level=error]")).isPositive();
        page.screenshot("logs-dark");

        page.press("c");
        backend.call(issues, "echo", "{\"message\":\"<b>what was asked</b>\"}");
        page.awaitText(".calls", "echo");
        page.click(".calls tbody tr:first-child .expand");
        page.awaitText(".call-more", "<b>what was asked</b>");
        page.screenshot("calls-dark");
        assertThat(page.count(".calls b")).isZero();
    }

    @Test
    @DisplayName("TEN-18: shows control and bidi characters of a server as their numbers")
    void hostileText() {
        login();
        var hostile = JsonNodeFactory.instance.objectNode();
        hostile.put("message", HOSTILE).put("text", HOSTILE);
        look("GitHub issues");
        page.press("l");
        backend.call(issues, "stderr", hostile.toString());
        page.awaitText(".log-lines", VISIBLE);
        page.press("c");
        backend.call(issues, "echo", hostile.toString());
        page.awaitText(".calls", "echo");
        page.click(".calls tbody tr:first-child .expand");
        page.awaitText(".call-more", VISIBLE);
        page.awaitText("#rows", "Product search " + VISIBLE);

        page.press("o");
        look("Product search");
        assertThat(page.text("#detail-title")).isEqualTo("Product search " + VISIBLE);
        // Whatever an element or a tooltip says; only layout and joiners are left.
        assertThat(
                        page.eval(
                                        """
                                        [...document.querySelectorAll('*')].flatMap(it =>
                                            [it.title, it.ariaLabel, ...[...it.childNodes]
                                                .filter(c => c.nodeType === 3).map(c => c.data)])
                                            .concat(document.title)
                                            .filter(text => /[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]/u.test(
                                                (text ?? '').replace(/[\\n\\t]/g, ''))).length
                                        """)
                                .asInt())
                .isZero();
    }

    @Test
    @DisplayName("keeps text as it is, and moves nothing beside text from right to left")
    void textStays() {
        login();
        var visible = "import('./format.js').then(it => it.visible(%s))";
        for (var text :
                List.of(
                        "plain C:\\\\users",
                        "Grüße, 世界, שלום",
                        "👩\u200d💻",
                        "می\u200cخواهم",
                        "a\\n\\tb")) {
            var quoted = "\"" + text + "\"";
            assertThat(page.eval(visible.formatted(quoted) + ".then(it => it === " + quoted + ")"))
                    .as(text)
                    .isEqualTo(JsonNodeFactory.instance.booleanNode(true));
        }
        assertThat(page.eval(visible.formatted("'e' + '\\u0301'.repeat(10)")).asString())
                .isEqualTo("e" + "\u0301".repeat(8) + "\\u0301\\u0301");
        assertThat(page.eval(visible.formatted("'\\ud800'")).asString()).isEqualTo("\\ud800");
        assertThat(
                        page.eval(
                                        "getComputedStyle(document.querySelector('#rows .name')).unicodeBidi")
                                .asString())
                .isEqualTo("isolate");
    }

    @Test
    @DisplayName("maps gateways, workers, links and partitions, and what becomes of them")
    void fleetMap() throws Exception {
        login();
        page.press("f");
        page.await("document.querySelectorAll('.matrix .cell').length === 8");
        page.await("document.querySelectorAll('.matrix tbody tr').length === 2");
        page.awaitText(".matrix tbody", "gateway-1");
        page.awaitText(".matrix tbody", "gateway-2");
        page.await("document.querySelectorAll('.matrix thead .badge[data-group=ok]').length === 2");
        page.await("document.querySelectorAll('.matrix .cell[data-group=ok]').length === 8");
        page.awaitText("#fleet .cards", "ago");
        page.screenshot("fleet");
        page.scheme("dark");
        page.screenshot("fleet-dark");

        fleet.link(2).partition();
        try {
            page.await("document.querySelector('.matrix thead').innerText.includes('recovering')");
        } finally {
            fleet.link(2).heal();
        }
        page.await("document.querySelectorAll('.matrix thead .badge[data-group=ok]').length === 2");
    }

    @Test
    @DisplayName("OPS-01: shows memory and CPU of servers beside those of worker JVM and host")
    void showsWhatFillsTheMachine() throws Exception {
        login();
        page.press("f");
        page.await("document.querySelectorAll('#fleet .resources').length === 2");

        var size = "[\\d.]+ [KMG]iB";
        awaitRow(1, "Hostmachine or container" + size + " of " + size + "\\d+ %");
        awaitRow(2, "Servers[1-9]\\d* process(es)?" + size + " of " + size + "\\d+ %");
        awaitRow(3, "Worker JVMheap, of its own limit" + size + " of " + size + "\\d+ %");
        assertThat(page.count("#fleet .resources meter")).isEqualTo(6);
        assertThat(page.text("#fleet .cards")).doesNotContain("NaN", "undefined");
    }

    @Test
    @DisplayName("OPS-03: shows rates, latencies, lag and dead letters, and each alert's runbook")
    void showsTheLoad(@TempDir Path directory) throws Exception {
        var end = directory.resolve("end");
        var open =
                backend.request(
                        issues,
                        "counter",
                        "{\"file\":\"%s\",\"until\":\"%s\"}"
                                .formatted(directory.resolve("counted"), end),
                        it -> it.put("timeout_ms", 300_000));
        fleet.backend()
                .send(
                        new ProducerRecord<>(
                                fleet.names().of(Topic.COMMANDS),
                                "acme/alice".getBytes(StandardCharsets.UTF_8),
                                "no command".getBytes(StandardCharsets.UTF_8)));
        for (int call = 0; call < 5; call++) {
            backend.call(issues, "echo", "{\"message\":\"hi\"}");
        }
        login();
        page.press("f");
        awaitTile("Calls", "(?!0(\\.0)? )\\d+(\\.\\d+)? /s");
        awaitTile("p50", "[\\d,]+ ms");
        awaitTile("p99", "[\\d,]+ ms");
        awaitTile("In flight", "[1-9]\\d*");
        awaitTile("Lag", "[1-9]\\d*"); // A call under way is read, and not done.
        Files.createFile(end);
        assertThat(backend.answer(open).text("outcome")).isEqualTo("success");
        awaitTile("In flight", "0");
        awaitTile("Dead letters", "[1-9]\\d*");
        page.await(
                "[...document.querySelectorAll('#fleet-gateways .card')].filter(it => /Lag(none|.*not done)/.test(it.textContent)).length === 2");
        page.awaitText(".alerts", "on dead-letters in the last hour");
        page.screenshot("load");
        page.size(320, 700);
        assertThat(page.eval("document.documentElement.scrollWidth").asInt())
                .isLessThanOrEqualTo(320);

        page.eval("document.querySelector('.alerts a[href$=DeadLetters]').focus()");
        page.press("Enter");
        page.awaitText("#runbooks article", "Records could not be acted on");
        assertThat(page.eval("document.documentElement.scrollWidth").asInt())
                .isLessThanOrEqualTo(320);
        page.size(1280, 800);
        page.scheme("dark");
        page.screenshot("runbook-dark");
        page.press("r");
        page.awaitText("#runbooks article", "What to look at first");
        opensEachAlertsRunbook();
    }

    private void opensEachAlertsRunbook() throws IOException {
        var rules = Checkout.root().resolve("infra/dashboards/prometheus/alerts.yaml");
        var alerts =
                Pattern.compile("(?m)^ *- alert: (\\w+)$")
                        .matcher(Files.readString(rules))
                        .results()
                        .map(found -> found.group(1))
                        .toList();
        assertThat(alerts).hasSizeGreaterThan(20);
        assertThat(page.count(".runbook-names a")).isEqualTo(alerts.size());
        for (var alert : alerts) {
            page.click(".runbook-names a[href$=\"/%s\"]".formatted(alert));
            page.awaitText("#runbooks article h2", alert);
            assertThat(page.text("#runbooks article")).contains("Means ", "Look ", "Do ");
        }
    }

    @Test
    @DisplayName("OPS-03: shows on one gateway's page that another leaves the group and is back")
    void showsTheOtherGateway() {
        login();
        page.press("f");
        awaitInTheGroup("gateway-2", true);

        fleet.part("gateway-2").terminate();
        try {
            awaitInTheGroup("gateway-2", false);
            page.await("document.querySelectorAll('.matrix tbody tr').length === 1");
        } finally {
            fleet.startGateway(2).awaitReady();
        }
        awaitInTheGroup("gateway-2", true);
        page.await("document.querySelectorAll('.matrix tbody tr').length === 2");
    }

    private void awaitInTheGroup(String gateway, boolean there) {
        page.await(
                "[...document.querySelectorAll('#fleet-gateways .card')].some(it => it.innerText.includes('%s') && it.innerText.includes('in the group')) === %s"
                        .formatted(gateway, there));
    }

    private void awaitTile(String name, String pattern) {
        page.await(
                "[...document.querySelectorAll('.tile')].some(it => it.firstChild.innerText === '%s' && /^%s$/.test(it.lastChild.firstChild.data))"
                        .formatted(name, pattern.replace("/s", "\\/s")));
    }

    @Test
    @DisplayName("OPS-04: finds a call by its request id and by its trace")
    void findsACall() throws Exception {
        var trace = "4bf92f3577b34da6a3ce929d0e0e4736";
        var request =
                """
                {"request_id":"order-4711","team_id":"acme","user_id":"bob","method":"tools/call",
                 "tool_path":"github:echo","arguments":{"message":"hi"}}
                """;
        var record =
                new ProducerRecord<>(
                        fleet.names().of(Topic.TOOL_REQUESTS),
                        "acme/bob".getBytes(StandardCharsets.UTF_8),
                        request.getBytes(StandardCharsets.UTF_8));
        record.headers()
                .add(
                        "traceparent",
                        ("00-" + trace + "-00f067aa0ba902b7-01").getBytes(StandardCharsets.UTF_8));
        backend.send(record);
        assertThat(backend.answer("order-4711").text("outcome")).isEqualTo("success");
        login();
        page.press("t");
        page.await("document.activeElement.id === 'call-id'");
        page.type("order-4711");
        page.press("Enter");
        page.awaitText("#call-steps", "tools/call github:echo of team acme, user bob");
        page.awaitText("#call-steps", "success, sent 1 times");
        page.awaitText("#call-steps", issues.processId());
        page.screenshot("call");

        page.eval("location.hash = '#/calls/" + trace + "'");
        page.awaitText("#call-steps", "order-4711: tools/call github:echo");
        page.size(320, 700);
        page.scheme("dark");
        assertThat(page.eval("document.documentElement.scrollWidth").asInt())
                .isLessThanOrEqualTo(320);
        page.eval("location.hash = '#/calls/no-such-call'");
        page.awaitText("#call-said", "is about no-such-call");
        assertThat(page.count("#call-steps tr")).isZero();
    }

    /** Servers are where their partitions are, which may be one worker. */
    private void awaitRow(int number, String pattern) {
        page.await(
                "[...document.querySelectorAll('.resources tbody tr:nth-child(%d)')].some(it => /^%s$/.test(it.textContent))"
                        .formatted(number, pattern));
    }
}
