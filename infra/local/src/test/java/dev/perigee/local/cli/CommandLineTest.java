package dev.perigee.local.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a user sees for every kind of bad usage, and on {@code --help}. */
class CommandLineTest {
    @TempDir Path directory;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "                                              | Which command?",
                "brokr                                         | Unknown command 'brokr'. Did you mean broker?",
                "status --verbose                              | --verbose",
                "status --output xml                           | xml",
                "call                                          | --team",
                "call --team t1 --user u1                      | SLUG:TOOL",
                "call --team t1 --user u1 everything           | 'everything' names no tool",
                "call --team t1 --user u1 everything: {}       | tool_path",
                "call --team t1 --user u1 a:b {                | no JSON",
                "call --team t1 --user u1 a:b []               | must be a JSON object",
                "call --team t1/x --user u1 a:b                | team_id",
                "call --team t1 --user u1 --timeout 3 a:b      | '3' is not a duration",
                "call --team t1 --user u1 --timeout 0 a:b      | longer than 0",
                "call --team t1 --user u1 --method tools a:b   | --method tools",
                "apply                                         | FILE",
                "apply /nowhere/config.json                    | /nowhere/config.json cannot be read: it does not exist",
                "delete --team t1                              | INSTALLATION",
                "delete abc                                    | --team",
                "delete --server a --yes                       | --at-most N",
                "delete --team t --at-most 2 a                 | INSTALLATION is one",
                "restart --server a --at-most 0                | at least 1",
                "erase                                         | USER",
                "erase t/u                                     | user_id",
                "erase u --team *                              | team_id",
                "erase u --yes --check                         | leave out --yes",
                "backup                                        | FILE",
                "backup /nowhere/fleet.backup --check          | /nowhere/fleet.backup is not there",
                "restore                                       | FILE",
                "restore /nowhere/fleet.backup                 | /nowhere/fleet.backup is not there",
                "restore pom.xml                               | is no backup",
                "restart --team t1 --deadline soon abc         | 'soon' is not a duration",
                "topics --partitions 0                         | at least 1",
                "topics --prefix a/b                           | no beginning of a topic name",
                "topics --bootstrap here                       | write HOST:PORT",
                "shell --bootstrap here                        | write HOST:PORT",
                "status --bootstrap a:1,b                      | write HOST:PORT",
                "call --team t --user u --method cancel r-1    | is not for a server",
                "call --team t --user u --method tools/list a  | perigee tools",
                "apply src                                     | it is a directory",
                "gateway --bootstrap here                      | write HOST:PORT",
                "gateway --prefix a/b                          | topics.prefix",
                "dev --prefix a/b                              | no beginning of a topic name",
                "dev --bootstrap here                          | write HOST:PORT",
                "dev --set topics.prefix=x.                    | use --prefix",
                "dev --set admin.listen=127.0.0.1:1            | each part gets its own",
                "dev --kafka-config /nowhere/kafka             | /nowhere/kafka cannot be read",
                "dev --data pom.xml                            | pom.xml cannot be used",
                "topics --partitions many                      | many",
                "topics --kafka-config /nowhere/kafka          | /nowhere/kafka cannot be read",
                "broker --set broker.lisen=x                   | the nearest is broker.listen",
                "broker --set broker.listen                    | write it as key=value",
                "broker --port x                               | x",
                "broker --config /nowhere/file                 | /nowhere/file",
                "gateway --set worker=x                        | the nearest is workers",
                "gateway --kafka-config /nowhere/kafka         | /nowhere/kafka cannot be read",
                "worker --set link.liten=x                     | the nearest is link.listen",
                "worker --set link.listen=here                 | is not an address",
                "dev --workers 0                               | at least 1",
                "dev --kafka-port 70000                        | from 0 to 65535",
                "dev --set link.retentoin=1s                   | the nearest is link.retention",
                "tools --team t1                               | --user",
                "logs --since yesterday                        | 'yesterday' is not a duration",
                "events --since yesterday                      | 'yesterday' is not a duration",
                "events --kind crash                           | crashed, restarted",
                "describe --team t1                            | INSTALLATION",
                "cancel --team t1 --user u1                    | REQUEST",
                "cancel --team t1 --user u1 --wait 0 r         | longer than 0",
                "cancel --team t1/x --user u1 r                | team_id",
                "connect --team t1                             | --user",
                "connect --team t1/x --user u1                 | team_id",
                "connect --team t1 --user u1 --timeout 0       | longer than 0",
                "trace                                         | ID",
                "top --servers 0                               | at least 1",
                "completion                                    | SHELL",
                "completion tcsh                               | bash, zsh, fish",
                "dead-letters                                  | Write list or show",
                "dead-letters show                             | P@O",
                "dead-letters list --reason bad                | --reason bad is none",
                "dead-letters list --since soon                | 'soon' is no time",
                "dead-letters list --limit 0                   | at least 1",
                "reference --topics /nowhere/api.yaml          | /nowhere/api.yaml",
                "redrive                                       | Say which",
                "redrive --offset 17                           | is no P@O",
                "redrive --all --set a                         | write PATH=VALUE",
                "redrive --all --edit /nowhere/patch           | /nowhere/patch cannot be read",
                "redrive --all --edit pom.xml                  | pom.xml is no merge patch",
                "redrive --all --new-key t                     | --new-key: key is not",
                "replay --from a:1                             | --to",
                "replay --from here --to a:1                   | neither a file nor an address",
                "replay --from a:1 --to pom.xml                | --to pom.xml has no bootstrap.servers",
                "replay --from a:1 --to b:1 --to-prefix a/b    | no beginning of a topic name",
                "replay --from a:1 --to b:1 --speed 0          | neither max nor more than 0",
                "replay --from a:1 --to b:1 --since noon       | 'noon' is no time",
                "replay --from a:1 --to b:1 --partitions 1-    | no list such as 0,3-5",
                "replay --from a:1 --to b:1 --include-requests some | some",
                "replay --from a:1 --to b:1 --tool find        | is no tool: write SLUG:TOOL",
                "replay --from a:1 --to b:1 --recorded-servers h | is no address: write http",
                "replay --from a:1 --to b:1 --rewrite /nowhere | /nowhere: cannot be read",
                "replay --from a:1 --to b:1 --dry-run --resume | nothing to --resume",
                "drain                                         | WORKER",
                "drain w --timeout 0                           | longer than 0",
                "drain w --admin here                          | write it as http://HOST:PORT",
                "drain w --admin ws://h:1/link                 | write it as http://HOST:PORT",
                "drain w --token-file /nowhere/token           | /nowhere/token cannot be read",
                "door --tokens /nowhere/tokens                 | /nowhere/tokens cannot be read",
                "door --tokens tokens --listen here            | no HOST:PORT",
            })
    void explainsBadUsage(String arguments, String message) {
        var run = CliRun.of(arguments == null ? new String[0] : arguments.split(" +"));

        assertThat(run.exitCode()).isEqualTo(64);
        assertThat(run.err()).contains(message).startsWith("perigee").doesNotContain("\tat ");
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "demo",
                "dev",
                "broker",
                "gateway",
                "worker",
                "topics",
                "apply",
                "delete",
                "restart",
                "status",
                "call",
                "connect",
                "door",
                "tools",
                "logs",
                "drain",
                "dead-letters",
                "redrive",
                "replay"
            })
    void helpsWithEveryCommand(String command) {
        var run = CliRun.of(command, "--help");

        assertThat(run.exitCode()).isZero();
        assertThat(run.out()).contains("Usage: perigee " + command, "Examples:");
    }

    @Test
    void namesEveryCommandAndItsVersion() {
        assertThat(CliRun.of("--help").out()).contains("apply", "Exit codes:");
        assertThat(CliRun.of("--version").out()).contains("perigee", "Kafka 4.3.1");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"topics", "call --team t1 --user u1 a:b", "connect --team t1 --user u1"})
    void saysThatNoBrokerAnswers(String arguments) throws Exception {
        // It is known in a second, not in five.
        var impatient = "default.api.timeout.ms=1000\nrequest.timeout.ms=1000\n";
        var kafka = " --kafka-config " + Files.writeString(directory.resolve("kafka"), impatient);
        var run = CliRun.of((arguments + kafka + " --bootstrap 127.0.0.1:1").split(" "));

        assertThat(run.exitCode()).isEqualTo(69);
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .contains("No Kafka broker answers at 127.0.0.1:1")
                .contains("--bootstrap HOST:PORT");
    }

    @Test
    void tellsAWrongKafkaConfigurationFromABrokerThatIsAway() throws Exception {
        var file =
                Files.writeString(directory.resolve("kafka"), "security.protocol=CARRIER_PIGEON");

        for (var command : List.of("topics", "status", "call --team t1 --user u1 a:b")) {
            var run = CliRun.of((command + " --kafka-config " + file).split(" "));

            assertThat(run.exitCode()).isEqualTo(64);
            assertThat(run.err().lines())
                    .singleElement()
                    .asString()
                    .contains("CARRIER_PIGEON", "--kafka-config");
        }
    }

    @Test
    void saysWhatIsWrongWithAConfiguration() throws Exception {
        var file = Files.writeString(directory.resolve("config.json"), "{\"team_id\":\"t1\"}");

        var run = CliRun.of("apply", file.toString());

        assertThat(run.exitCode()).isEqualTo(64);
        assertThat(run.err()).contains(file + ": field config.installation_id");
    }
}
