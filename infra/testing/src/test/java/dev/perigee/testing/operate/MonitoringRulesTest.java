package dev.perigee.testing.operate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.testing.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Locale;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Dashboards and alerts, by themselves")
final class MonitoringRulesTest {
    private static final Pattern HEADING = Pattern.compile("(?m)^## (\\w+)$");

    @Test
    @NeedsProgram(Program.PROMTOOL)
    @DisplayName(
            "DEP-09: Debian's promtool takes the alerts, and each fires when it should and only then")
    void areGoodRules() throws Exception {
        assertThat(Promtool.run("check", "rules", MonitoringRules.ALERTS.toString()))
                .contains(MonitoringRules.alerts().size() + " rules found");
        var tests = MonitoringRules.ALERTS.resolveSibling("alerts_test.yaml");
        assertThat(Promtool.run("test", "rules", tests.toString())).contains("SUCCESS");
        var tested = Files.readString(tests);
        assertThat(tested)
                .contains("of two fleets only the one in trouble is named", "values: '1x59 stale'");
        for (var alert : MonitoringRules.ofAlerts()) {
            assertThat(tested).contains("alertname=\"" + alert.where() + "\"");
        }
    }

    @Test
    @DisplayName("DEP-09: each alert links its entry in the runbooks, and there is no other entry")
    void haveRunbooks() throws IOException {
        var page = Files.readString(Checkout.root().resolve("docs/runbooks.md"));
        var headings = HEADING.matcher(page).results().map(result -> result.group(1)).toList();
        var alerts = new ArrayList<String>();
        for (var alert : MonitoringRules.alerts()) {
            var name = alert.path("alert").asString();
            alerts.add(name);
            assertThat(alert.at("/annotations/runbook_url").asString())
                    .isEqualTo("docs/runbooks.md#" + name.toLowerCase(Locale.ROOT));
            assertThat(alert.at("/annotations/summary").asString()).isNotEmpty();
            assertThat(alert.at("/labels/severity").asString()).isIn("critical", "warning");
        }
        assertThat(headings).containsExactlyElementsOf(alerts);
        for (var entry : page.split("(?m)^## ")) {
            if (entry.startsWith("Perigee")) {
                assertThat(entry).contains("**Means** ", "**Look** ", "**Do** ");
            }
        }
    }

    @Test
    @DisplayName("OPS-03: what the console would raise as an alert is one")
    void areThoseOfTheConsole() throws IOException {
        var page = "infra/console/src/main/resources/dev/perigee/console/alerts.js";
        var named =
                Pattern.compile("'(Perigee\\w+)'")
                        .matcher(Files.readString(Checkout.root().resolve(page)))
                        .results()
                        .map(result -> result.group(1))
                        .toList();

        assertThat(named).hasSizeGreaterThan(5);
        assertThat(MonitoringRules.ofAlerts())
                .extracting(MonitoringRules.Query::where)
                .containsAll(named);
    }

    @Test
    @DisplayName("Every panel says what it shows, and ids are not used twice")
    void areGoodDashboards() {
        var uids = new HashSet<String>();
        for (var board : MonitoringRules.dashboards()) {
            assertThat(uids.add(board.path("uid").asString())).isTrue();
            var ids = new HashSet<Integer>();
            for (var panel : MonitoringRules.list(board.path("panels"))) {
                assertThat(panel.path("description").asString()).isNotEmpty();
                assertThat(panel.at("/datasource/uid").asString()).isEqualTo("${datasource}");
                assertThat(ids.add(panel.path("id").asInt())).isTrue();
            }
        }
    }

    @Test
    void readsQueries() {
        var query =
                PromQuery.of(
                        "sum by (a, b) (rate(m_total{x=\"1\",y=~\"2|3\"}[5m])) / on (c) n > 0.5");

        assertThat(query.grouped()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(query.selectors()).extracting("metric").containsExactly("m_total", "n");
        assertThat(query.selectors().getFirst().matchers())
                .containsExactly(
                        new PromQuery.Matcher("x", "=", "1"),
                        new PromQuery.Matcher("y", "=~", "2|3"));
    }
}
