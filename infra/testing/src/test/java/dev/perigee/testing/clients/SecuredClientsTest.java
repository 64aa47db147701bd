package dev.perigee.testing.clients;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.faults.NeedsProgram;
import dev.perigee.faults.Program;
import dev.perigee.faults.TestAuthority;
import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.settings.HostPort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A broker that speaks SASL_SSL only and has no topics: who is let in is told that. */
@DisplayName("The clients for TypeScript and Python, at a broker that wants TLS and a password,")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SecuredClientsTest {
    private static final String PASSWORD = "s3cret-of-backend";
    private static final String TYPESCRIPT =
            """
            import {readFileSync} from 'node:fs';
            import {Client} from './index.js';
            const [broker, ca, password] = process.argv.slice(1);
            const kafka = {tls: {ca: readFileSync(ca)}, sasl: {mechanism: 'PLAIN', username: 'backend', password}};
            await Client.connect({brokers: [broker], kafka}).catch((error) => console.log(error));
            """;
    private static final String PYTHON =
            """
            import sys
            from perigee import Client, Refused
            broker, ca, password = sys.argv[1:]
            try:
                Client(broker, kafka={"security.protocol": "SASL_SSL", "ssl.ca.location": ca, "sasl.mechanism": "PLAIN",
                                      "sasl.username": "backend", "sasl.password": password})
            except Refused as refusal:
                print(repr(refusal))
            """;

    private TestAuthority authority;
    private EmbeddedBroker broker;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        authority = new TestAuthority(folder, "kafka");
        broker =
                EmbeddedBroker.start(
                        new HostPort("127.0.0.1", 0), folder.resolve("data"), settings(folder));
    }

    private Map<String, String> settings(Path folder) throws Exception {
        var identity = authority.identity("broker", "ip:127.0.0.1", TestAuthority.VALID);
        var keys = folder.resolve("keys.pem");
        Files.writeString(
                keys, Files.readString(identity.key()) + Files.readString(identity.certificate()));
        var settings = new HashMap<String, String>();
        settings.put("listener.security.protocol.map", "PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT");
        settings.put("inter.broker.listener.name", "PLAINTEXT");
        settings.put("sasl.enabled.mechanisms", "PLAIN");
        settings.put("sasl.mechanism.inter.broker.protocol", "PLAIN");
        settings.put(
                "listener.name.plaintext.plain.sasl.jaas.config",
                ("org.apache.kafka.common.security.plain.PlainLoginModule required"
                                + " username=\"broker\" password=\"b\" user_broker=\"b\""
                                + " user_backend=\"%s\";")
                        .formatted(PASSWORD));
        settings.put("ssl.keystore.type", "PEM");
        settings.put("ssl.keystore.location", keys.toString());
        settings.put("ssl.truststore.type", "PEM");
        settings.put("ssl.truststore.location", authority.certificate().toString());
        return settings;
    }

    @AfterAll
    void end() {
        broker.close();
    }

    @Test
    @DisplayName("in TypeScript are let in by the right one, and say so where it is another")
    void typescript(@TempDir Path folder) throws Exception {
        assertThat(typescript(folder.resolve("right"), PASSWORD)).contains("There is no topic");
        assertThat(typescript(folder.resolve("wrong"), "guessed"))
                .contains("Kafka does not let us")
                .doesNotContain("guessed");
    }

    private String typescript(Path output, String password)
            throws IOException, InterruptedException {
        var ca = authority.certificate().toString();
        try (var program =
                ClientProgram.node(
                        output,
                        "--input-type=module",
                        "--eval",
                        TYPESCRIPT,
                        broker.bootstrap(),
                        ca,
                        password)) {
            return program.succeed();
        }
    }

    @Test
    @NeedsProgram(Program.PYTHON_KAFKA)
    @DisplayName("in Python are let in by the right one, and say so where it is another")
    void python(@TempDir Path folder) throws Exception {
        assertThat(python(folder.resolve("right"), PASSWORD)).contains("topic");
        assertThat(python(folder.resolve("wrong"), "guessed"))
                .contains("Kafka does not let us")
                .doesNotContain("guessed");
    }

    private String python(Path output, String password) throws IOException, InterruptedException {
        var ca = authority.certificate().toString();
        try (var program =
                ClientProgram.python(output, "-c", PYTHON, broker.bootstrap(), ca, password)) {
            return program.succeed();
        }
    }
}
