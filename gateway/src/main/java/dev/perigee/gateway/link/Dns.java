package dev.perigee.gateway.link;

import dev.perigee.protocol.settings.HostPort;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Hashtable;
import java.util.List;
import javax.naming.NamingException;
import javax.naming.directory.InitialDirContext;

/**
 * The system's DNS: host names by the JDK's resolver, which knows {@code /etc/hosts} too, services
 * by the JDK's DNS provider. Of a name with addresses of both families those of IPv4 count, since
 * the others lead to the same workers.
 */
final class Dns implements NameService {
    private static final String TIMEOUT_MILLIS = "1000";
    private static final String RETRIES = "3";

    private final String servers;

    Dns() {
        this("dns:");
    }

    /**
     * @param servers whom to ask for services, as a URL of the JDK's DNS provider
     */
    Dns(String servers) {
        this.servers = servers;
    }

    @Override
    public List<InetAddress> addresses(String host) throws LookupFailedException {
        try {
            var all = List.of(InetAddress.getAllByName(host));
            var ofVersion4 = all.stream().filter(Inet4Address.class::isInstance).toList();
            return ofVersion4.isEmpty() ? all : ofVersion4;
        } catch (UnknownHostException e) {
            throw new LookupFailedException("the name " + host + " has no address");
        }
    }

    @Override
    // JNDI asks for a Hashtable; its DNS provider gives text and makes no objects of it.
    @SuppressWarnings({"JdkObsolete", "BanJNDI"})
    public List<HostPort> services(String name) throws LookupFailedException {
        var environment = new Hashtable<String, String>();
        environment.put("java.naming.factory.initial", "com.sun.jndi.dns.DnsContextFactory");
        environment.put("java.naming.provider.url", servers);
        environment.put("com.sun.jndi.dns.timeout.initial", TIMEOUT_MILLIS);
        environment.put("com.sun.jndi.dns.timeout.retries", RETRIES);
        var targets = new ArrayList<HostPort>();
        try {
            var context = new InitialDirContext(environment);
            try {
                var records = context.getAttributes(name, new String[] {"SRV"}).get("SRV");
                for (int i = 0; records != null && i < records.size(); i++) {
                    targets.add(target(String.valueOf(records.get(i))));
                }
            } finally {
                context.close();
            }
        } catch (NamingException e) {
            throw new LookupFailedException(
                    "the service " + name + " was not found: " + e.getMessage());
        }
        if (targets.isEmpty()) {
            throw new LookupFailedException("the service " + name + " has no SRV record");
        }
        return targets;
    }

    /** Priority, weight, port and target; a worker says itself how much it takes. */
    private static HostPort target(String record) throws LookupFailedException {
        var words = record.split(" ", -1);
        if (words.length == 4) {
            var host =
                    words[3].endsWith(".")
                            ? words[3].substring(0, words[3].length() - 1)
                            : words[3];
            var parsed = HostPort.parse(host + ":" + words[2]);
            if (parsed != null) {
                return parsed;
            }
        }
        throw new LookupFailedException("not an SRV record: " + record);
    }
}
