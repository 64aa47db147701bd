package dev.perigee.bench.fleet;

import com.sun.management.ThreadMXBean;
import com.sun.tools.attach.AttachNotSupportedException;
import com.sun.tools.attach.VirtualMachine;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import javax.management.MBeanServerConnection;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Asks another JVM of this user what it allocated and what it holds, over JMX's local connection:
 * exact counters of the JVM itself, read for some ten kilobytes a time.
 */
public final class JvmProbe implements AutoCloseable {
    private final JMXConnector connector;
    private final ThreadMXBean threads;
    private final MemoryMXBean memory;
    private final CompilationMXBean compiler;

    private JvmProbe(JMXConnector connector, MBeanServerConnection server) throws IOException {
        this.connector = connector;
        this.threads =
                ManagementFactory.newPlatformMXBeanProxy(
                        server, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        this.memory =
                ManagementFactory.newPlatformMXBeanProxy(
                        server, ManagementFactory.MEMORY_MXBEAN_NAME, MemoryMXBean.class);
        this.compiler =
                ManagementFactory.newPlatformMXBeanProxy(
                        server, ManagementFactory.COMPILATION_MXBEAN_NAME, CompilationMXBean.class);
    }

    /** Connects to the JVM that runs as this process. */
    @SuppressWarnings("BanJNDI") // The address is from a JVM that this one has started.
    public static JvmProbe attach(long pid) throws IOException {
        var connector = JMXConnectorFactory.connect(new JMXServiceURL(agent(pid)));
        return new JvmProbe(connector, connector.getMBeanServerConnection());
    }

    private static String agent(long pid) throws IOException {
        try {
            var machine = VirtualMachine.attach(Long.toString(pid));
            try {
                return machine.startLocalManagementAgent();
            } finally {
                machine.detach();
            }
        } catch (AttachNotSupportedException e) {
            throw new IOException("Cannot attach to JVM " + pid, e);
        }
    }

    /** Bytes that all its threads, virtual ones included, have allocated since it started. */
    public long allocatedBytes() {
        return threads.getTotalThreadAllocatedBytes();
    }

    /** Milliseconds that its compilers have worked since it started. */
    public long compiledMillis() {
        return compiler.getTotalCompilationTime();
    }

    /** Its live platform threads. */
    public int threads() {
        return threads.getThreadCount();
    }

    /** Collects garbage and returns what is left of the heap. */
    public long liveHeapBytes() {
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }

    @Override
    public void close() throws IOException {
        connector.close();
    }
}
