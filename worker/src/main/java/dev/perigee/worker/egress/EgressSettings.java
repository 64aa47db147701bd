package dev.perigee.worker.egress;

import dev.perigee.protocol.config.EgressRule;
import dev.perigee.protocol.settings.Setting;
import dev.perigee.protocol.settings.SettingType;
import dev.perigee.protocol.settings.Settings;
import dev.perigee.protocol.settings.SettingsSchema;
import java.util.List;

/** Configuration keys of the egress policy; part of the worker's. */
public final class EgressSettings {
    public static final Setting<List<String>> ALLOW =
            Setting.of(
                    "egress.allow",
                    SettingType.listOf(destination()),
                    "",
                    "What servers may reach besides the internet, by HTTP and SSE and as processes"
                            + " in networks of their own, such as 10.1.2.0/24,mcp.internal:8443."
                            + " Without it a loopback, private, link-local, metadata, multicast or"
                            + " reserved address and the worker's own are refused, decided on the"
                            + " address that is dialled. A host by name is allowed whatever address"
                            + " it has. The worker's own addresses are opened only by one host or"
                            + " address with its port, such as 127.0.0.1:4873; to HTTP and SSE also"
                            + " by a network of loopback, but for the worker's own link and admin"
                            + " ports.");
    public static final Setting<List<String>> DENY =
            Setting.of(
                    "egress.deny",
                    SettingType.listOf(destination()),
                    "",
                    "What they must not reach though it is on the internet or in egress.allow.");

    /** All keys, in the order of the reference page. */
    public static final SettingsSchema SCHEMA = SettingsSchema.of("egress", ALLOW, DENY);

    private EgressSettings() {}

    /** The policy that the settings describe. */
    public static EgressPolicy read(Settings settings) {
        return EgressPolicy.of(settings.value(ALLOW), settings.value(DENY));
    }

    private static SettingType<String> destination() {
        return SettingType.string().where(EgressSettings::isDestination, EgressRule.FORM);
    }

    private static boolean isDestination(String text) {
        try {
            EgressRule.parse(text);
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}
