package dev.perigee.gateway;

import dev.perigee.gateway.link.LinkSettings;
import dev.perigee.gateway.link.WorkerSource;
import dev.perigee.protocol.settings.HostPort;
import dev.perigee.protocol.settings.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Notice, logged once at start, of where users' secrets are stored or sent unencrypted. Nothing is
 * logged where the whole fleet is one machine.
 */
final class SecretsNotice {
    private static final Logger LOG = LoggerFactory.getLogger(SecretsNotice.class);

    private SecretsNotice() {}

    static void log(Settings settings) {
        for (var notice : notices(settings)) {
            LOG.warn(notice);
        }
        var keys = settings.valueOrNull(GatewaySettings.STATE_KEYS);
        if (keys != null) {
            LOG.atInfo()
                    .addKeyValue("current", keys.current())
                    .addKeyValue("keys", keys.ids())
                    .log("Secrets in the state topic are encrypted");
        }
    }

    static List<String> notices(Settings settings) {
        var notices = new ArrayList<String>();
        if (settings.valueOrNull(GatewaySettings.STATE_KEYS) == null
                && !isLocal(settings.value(GatewaySettings.BOOTSTRAP))) {
            notices.add(
                    "Secrets of installations, such as env and headers, are kept in the state topic"
                            + " as they came: set state.encryption-keys-file");
        }
        for (var source : settings.value(LinkSettings.WORKERS)) {
            if (!source.isEncrypted() && !isLocal(source)) {
                notices.add(
                        "Secrets of installations cross the network to "
                                + source
                                + " as they came: use wss:// and link.tls.*");
            }
        }
        return notices;
    }

    private static boolean isLocal(String bootstrap) {
        return Arrays.stream(bootstrap.split(",", -1))
                .map(address -> HostPort.parse(address.strip()))
                .allMatch(address -> address != null && address.isLoopback());
    }

    private static boolean isLocal(WorkerSource source) {
        return source instanceof WorkerSource.One(var uri)
                && new HostPort(uri.getHost(), 0).isLoopback();
    }
}
