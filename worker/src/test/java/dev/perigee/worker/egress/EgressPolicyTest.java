package dev.perigee.worker.egress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.perigee.protocol.config.EgressRule;
import dev.perigee.protocol.settings.InvalidSettingsException;
import dev.perigee.worker.egress.EgressPolicy.Refusal;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What the egress policy decides")
final class EgressPolicyTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0.0.0.0",
                "0.1.2.3",
                "127.0.0.1",
                "127.255.255.254",
                "10.0.0.1",
                "172.16.0.1",
                "172.31.255.255",
                "192.168.1.1",
                "100.64.0.1",
                "100.100.100.200",
                "169.254.169.254",
                "168.63.129.16",
                "192.0.0.192",
                "198.18.0.1",
                "198.19.255.255",
                "224.0.0.1",
                "239.255.255.255",
                "240.0.0.1",
                "255.255.255.255",
                "::",
                "::1",
                "fe80::1",
                "fc00::1",
                "fd00:ec2::254",
                "fec0::1",
                "ff02::1",
                "100::1",
                "::ffff:127.0.0.1",
                "::ffff:169.254.169.254",
                "::127.0.0.1",
                "::a00:1",
                "64:ff9b::7f00:1",
                "64:ff9b::a9fe:a9fe",
                "64:ff9b:1::7f00:1",
                "2002:7f00:1::",
                "2002:a9fe:a9fe::1",
                "2001:0:4136:e378:8000:63bf:3fff:fdd2",
                "2600::5efe:7f00:1",
                "2600::200:5efe:c0a8:101",
            })
    @DisplayName("TEN-06: no address that is not on the internet, in whatever form")
    void refusesInternal(String address) {
        assertThat(decided(EgressPolicy.INTERNET, "a.example", address, 443, null))
                .isEqualTo(Refusal.FLEET);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1.1.1.1",
                "8.8.8.8",
                "9.255.255.255",
                "11.0.0.0",
                "100.63.255.255",
                "100.128.0.0",
                "169.253.255.255",
                "172.15.255.255",
                "172.32.0.0",
                "192.0.1.0",
                "192.167.255.255",
                "198.17.255.255",
                "198.20.0.0",
                "223.255.255.255",
                "2606:4700:4700::1111",
                "2a00:1450:4001:81b::200e",
                "64:ff9b::808:808",
                "2002:808:808::1",
                "::ffff:8.8.8.8",
            })
    @DisplayName("every address on the internet is allowed")
    void allowsTheInternet(String address) {
        assertThat(decided(EgressPolicy.INTERNET, "a.example", address, 443, null)).isNull();
    }

    @Test
    @DisplayName("TEN-06: an operator allows networks, and hosts by name and port")
    void operatorsAllow() {
        var policy =
                EgressPolicy.of(
                        List.of("10.1.2.0/24", "mcp.internal:8443", "127.0.0.1:9000"), List.of());

        assertThat(decided(policy, "a.example", "10.1.2.9", 80, null)).isNull();
        assertThat(decided(policy, "a.example", "64:ff9b::a01:209", 80, null)).isNull();
        assertThat(decided(policy, "a.example", "10.1.3.9", 80, null)).isEqualTo(Refusal.FLEET);
        assertThat(decided(policy, "mcp.internal", "10.9.9.9", 8443, null)).isNull();
        assertThat(decided(policy, "mcp.internal", "10.9.9.9", 443, null)).isEqualTo(Refusal.FLEET);
        assertThat(decided(policy, "a.example", "127.0.0.1", 9000, null)).isNull();
        assertThat(decided(policy, "a.example", "127.0.0.1", 9001, null)).isEqualTo(Refusal.FLEET);
        // A connection of which the port is not at hand.
        assertThat(decided(policy, "a.example", "127.0.0.1", -1, null)).isEqualTo(Refusal.FLEET);
    }

    @Test
    @DisplayName("what an operator denies is refused, also where it is allowed")
    void operatorsDeny() {
        var policy =
                EgressPolicy.of(
                        List.of("10.0.0.0/8"), List.of("10.6.6.6", "*.evil.example", "*:25"));

        assertThat(decided(policy, "a.example", "10.6.6.7", 443, null)).isNull();
        assertThat(decided(policy, "a.example", "10.6.6.6", 443, null)).isEqualTo(Refusal.FLEET);
        assertThat(decided(policy, "a.example", "64:ff9b::a06:606", 443, null))
                .isEqualTo(Refusal.FLEET);
        assertThat(decided(policy, "www.EVIL.example.", "8.8.8.8", 443, null))
                .isEqualTo(Refusal.FLEET);
        assertThat(decided(policy, "a.example", "8.8.8.8", 25, null)).isEqualTo(Refusal.FLEET);
    }

    @Test
    @DisplayName("TEN-07: an address of the worker's machine is not on the internet")
    void refusesItsOwn() {
        assertThat(ownDecided("8.8.8.8", Place.MACHINE, "9.9.9.9")).isEqualTo(Refusal.FLEET);
        assertThat(ownDecided("8.8.8.8", Place.MACHINE, "8.8.8.8:7070")).isNull();
    }

    @ParameterizedTest
    @EnumSource(names = {"MACHINE", "WORKER"})
    @DisplayName(
            "TEN-06: the worker's machine is opened by one host or address with its port, not by a"
                    + " network, nor by hosts that happen to lead there")
    void opensItsOwnExactly(Place place) {
        for (var wide :
                List.of(
                        "8.8.8.0/24",
                        "0.0.0.0/0",
                        "8.8.8.8/32",
                        "8.8.8.8",
                        "8.8.8.8:7071",
                        "*",
                        "*:7070",
                        "*.example",
                        "*.example:7070",
                        "a.example",
                        "a.example:7071")) {
            assertThat(ownDecided("8.8.8.8", place, wide)).as(wide).isEqualTo(Refusal.FLEET);
        }
        for (var exact : List.of("8.8.8.8:7070", "a.example:7070")) {
            assertThat(ownDecided("8.8.8.8", place, exact)).as(exact).isNull();
        }
        // Others of that network stay open.
        assertThat(ownDecided("8.8.8.8", Place.ELSEWHERE, "8.8.8.0/24")).isNull();
    }

    @Test
    @DisplayName("a network of loopback opens this machine, but for what the worker listens at")
    void opensLoopback() {
        for (var loopback : List.of("127.0.0.0/8", "127.0.0.1", "127.0.0.1:7070")) {
            assertThat(ownDecided("127.0.0.1", Place.MACHINE, loopback)).as(loopback).isNull();
        }
        for (var loopback : List.of("127.0.0.0/8", "127.0.0.1", "0.0.0.0/0")) {
            assertThat(ownDecided("127.0.0.1", Place.WORKER, loopback))
                    .as(loopback)
                    .isEqualTo(Refusal.FLEET);
        }
        assertThat(ownDecided("127.0.0.1", Place.WORKER, "127.0.0.1:7070")).isNull();
        assertThat(ownDecided("127.0.0.1", Place.MACHINE, "0.0.0.0/0")).isEqualTo(Refusal.FLEET);
        assertThat(ownDecided("::1", Place.MACHINE, "::1")).isNull();
    }

    @Test
    @DisplayName("where the port is not at hand, what is denied at one port is denied at all")
    void isStrictWithoutPort() {
        var policy = EgressPolicy.of(List.of(), List.of("8.8.8.8:25", "*.evil.example:25"));

        assertThat(decided(policy, "a.example", "8.8.8.8", -1, null)).isNull();
        assertThat(decided(policy.atAnyPort(), "a.example", "8.8.8.8", -1, null))
                .isEqualTo(Refusal.FLEET);
        assertThat(decided(policy.atAnyPort(), "a.evil.example", "1.1.1.1", -1, null))
                .isEqualTo(Refusal.FLEET);
    }

    @Test
    @DisplayName("TEN-06: an installation narrows the policy and never widens it")
    void installationsNarrow() {
        var only = rules("api.example.com", "*.cdn.example:443", "9.9.9.0/24", "10.0.0.0/8");

        assertThat(decided(EgressPolicy.INTERNET, "api.example.com", "8.8.8.8", 80, only)).isNull();
        assertThat(decided(EgressPolicy.INTERNET, "a.cdn.example", "8.8.8.8", 443, only)).isNull();
        assertThat(decided(EgressPolicy.INTERNET, "other.example", "9.9.9.9", 80, only)).isNull();
        assertThat(decided(EgressPolicy.INTERNET, "a.cdn.example", "8.8.8.8", 80, only))
                .isEqualTo(Refusal.INSTALLATION);
        assertThat(decided(EgressPolicy.INTERNET, "other.example", "8.8.8.8", 80, only))
                .isEqualTo(Refusal.INSTALLATION);
        assertThat(decided(EgressPolicy.INTERNET, "other.example", "10.0.0.1", 80, only))
                .isEqualTo(Refusal.FLEET);
        assertThat(decided(EgressPolicy.INTERNET, "api.example.com", "127.0.0.1", 80, only))
                .isEqualTo(Refusal.FLEET);
        assertThat(decided(EgressPolicy.INTERNET, "api.example.com", "8.8.8.8", 80, List.of()))
                .isEqualTo(Refusal.INSTALLATION);
    }

    @Test
    @DisplayName("settings that are no destinations are refused, and none are the internet")
    void settings() {
        assertThat(EgressSettings.read(EgressSettings.SCHEMA.read(Map.of())))
                .isEqualTo(EgressPolicy.INTERNET);
        assertThat(
                        EgressSettings.read(
                                EgressSettings.SCHEMA.read(
                                        Map.of("egress.allow", LocalEgress.ALLOW))))
                .isEqualTo(LocalEgress.POLICY);
        assertThatThrownBy(() -> EgressSettings.SCHEMA.read(Map.of("egress.deny", "http://x/")))
                .isInstanceOf(InvalidSettingsException.class)
                .hasMessageContaining("egress.deny");
    }

    private static @Nullable Refusal decided(
            EgressPolicy policy,
            String host,
            String address,
            int port,
            @Nullable List<EgressRule> only) {
        return policy.refusal(host, InetAddress.ofLiteral(address), Place.ELSEWHERE, port, only);
    }

    /** Of a.example at port 7070, where one entry is allowed. */
    private static @Nullable Refusal ownDecided(String address, Place place, String allowed) {
        return EgressPolicy.of(List.of(allowed), List.of())
                .refusal("a.example", InetAddress.ofLiteral(address), place, 7070, null);
    }

    private static List<EgressRule> rules(String... entries) {
        return Stream.of(entries).map(EgressRule::parse).toList();
    }
}
