package dev.perigee.local.cli;

import static org.awaitility.Awaitility.await;

import dev.perigee.faults.TestAuthority;
import dev.perigee.local.broker.EmbeddedBroker;
import dev.perigee.protocol.settings.HostPort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialAlteration;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.apache.kafka.common.acl.AccessControlEntryFilter;
import org.apache.kafka.common.acl.AclBindingFilter;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.ResourcePatternFilter;

/**
 * A broker that speaks SASL_SSL only and lets nobody do what no right says. Its own users have
 * PLAIN, the others SCRAM.
 */
final class SecuredBroker implements AutoCloseable {
    static final String ADMIN = "admin";
    private static final int ITERATIONS = 4096;

    private final Path directory;
    private final TestAuthority authority;
    private final EmbeddedBroker broker;
    private final Admin admin;

    SecuredBroker(Path directory) throws Exception {
        this.directory = directory;
        this.authority = new TestAuthority(directory, "kafka");
        var identity = authority.identity("broker", "ip:127.0.0.1", TestAuthority.VALID);
        var keys = directory.resolve("broker-keys.pem");
        Files.writeString(
                keys, Files.readString(identity.key()) + Files.readString(identity.certificate()));
        var settings = new HashMap<String, String>();
        settings.put("listener.security.protocol.map", "PLAINTEXT:SASL_SSL,CONTROLLER:PLAINTEXT");
        settings.put("inter.broker.listener.name", "PLAINTEXT");
        settings.put("sasl.enabled.mechanisms", "PLAIN,SCRAM-SHA-512");
        settings.put("sasl.mechanism.inter.broker.protocol", "PLAIN");
        settings.put(
                "listener.name.plaintext.plain.sasl.jaas.config",
                plain("broker")
                        + " user_broker=\""
                        + password("broker")
                        + "\" user_admin=\""
                        + password(ADMIN)
                        + "\";");
        settings.put(
                "listener.name.plaintext.scram-sha-512.sasl.jaas.config",
                "org.apache.kafka.common.security.scram.ScramLoginModule required;");
        settings.put("ssl.keystore.type", "PEM");
        settings.put("ssl.keystore.location", keys.toString());
        settings.put("ssl.truststore.type", "PEM");
        settings.put("ssl.truststore.location", authority.certificate().toString());
        settings.put(
                "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer");
        settings.put("super.users", "User:broker;User:admin;User:ANONYMOUS");
        this.broker =
                EmbeddedBroker.start(
                        new HostPort("127.0.0.1", 0), directory.resolve("data"), settings);
        this.admin = Admin.create(Map.copyOf(client(ADMIN)));
    }

    String bootstrap() {
        return broker.bootstrap();
    }

    Admin admin() {
        return admin;
    }

    /** A user's password; no other's and of no other run. */
    static String password(String user) {
        return "s3cret-of-" + user;
    }

    private static String plain(String user) {
        return "org.apache.kafka.common.security.plain.PlainLoginModule required username=\""
                + user
                + "\" password=\""
                + password(user)
                + "\"";
    }

    /** Users with rights to nothing. */
    void add(String... users) throws Exception {
        var scram = new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, ITERATIONS);
        var added = new ArrayList<UserScramCredentialAlteration>();
        for (var user : users) {
            added.add(new UserScramCredentialUpsertion(user, scram, password(user)));
        }
        admin.alterUserScramCredentials(added).all().get();
    }

    /**
     * Rights that were granted are the controller's at first; waits until the broker knows them.
     */
    void awaitRights(String user) {
        var rights =
                new AclBindingFilter(
                        ResourcePatternFilter.ANY,
                        new AccessControlEntryFilter(
                                "User:" + user, null, AclOperation.ANY, AclPermissionType.ANY));
        await().atMost(60, TimeUnit.SECONDS)
                .until(() -> !admin.describeAcls(rights).values().get().isEmpty());
    }

    /** What a client of this user is configured with, its address included. */
    Map<String, String> client(String user) {
        return client(user, password(user));
    }

    Map<String, String> client(String user, String password) {
        boolean plain = user.equals(ADMIN);
        var module =
                plain
                        ? "org.apache.kafka.common.security.plain.PlainLoginModule"
                        : "org.apache.kafka.common.security.scram.ScramLoginModule";
        return Map.of(
                "bootstrap.servers",
                bootstrap(),
                "security.protocol",
                "SASL_SSL",
                "sasl.mechanism",
                plain ? "PLAIN" : "SCRAM-SHA-512",
                "sasl.jaas.config",
                "%s required username=\"%s\" password=\"%s\";".formatted(module, user, password),
                "ssl.truststore.type",
                "PEM",
                "ssl.truststore.location",
                authority.certificate().toString());
    }

    /** The same as a file for {@code --kafka-config}. */
    Path file(String user) throws Exception {
        return file(user, password(user));
    }

    Path file(String user, String password) throws Exception {
        var file = Files.createTempFile(directory, user, ".properties");
        Files.write(
                file,
                client(user, password).entrySet().stream()
                        .map(entry -> entry.getKey() + "=" + entry.getValue())
                        .toList());
        return file;
    }

    /** The same as a gateway's settings. */
    Map<String, String> gateway(String user) {
        return client(user).entrySet().stream()
                .collect(Collectors.toMap(entry -> "kafka." + entry.getKey(), Map.Entry::getValue));
    }

    @Override
    public void close() {
        admin.close();
        broker.close();
    }
}
