package dev.holdfast.support.internal.pack;

import java.io.IOException;
import java.lang.management.LockInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MonitorInfo;
import java.lang.management.ThreadInfo;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.management.JMException;
import javax.management.ObjectName;

/** The process of the node: versions, properties, threads and the classes on its heap. */
final class RuntimeFacts implements Facts {
  private static final int DUMPS = 3;

  private final Supplier<String> bundles;
  private final Pause pause;

  /** The wait between two dumps of the threads. */
  @FunctionalInterface
  interface Pause {
    /** Waits. */
    void run() throws InterruptedException;
  }

  /**
   * Creates the source.
   *
   * @param bundles lists the bundles, one per line
   * @param pause wait between two dumps of the threads
   */
  RuntimeFacts(Supplier<String> bundles, Pause pause) {
    this.bundles = bundles;
    this.pause = pause;
  }

  @Override
  public void collect(SupportRequest request, SecretFilter filter, EntrySink sink)
      throws IOException {
    emit("bundles.txt", bundles.get(), filter, sink);
    emit("properties.txt", properties(), filter, sink);
    emit("heap-histogram.txt", diagnostic("gcClassHistogram"), filter, sink);
    try {
      for (int number = 1; number <= DUMPS; number++) {
        if (number > 1) {
          pause.run();
        }
        emit("threads-" + number + ".txt", threads(), filter, sink);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while threads were dumped", e);
    }
  }

  private static void emit(String name, String text, SecretFilter filter, EntrySink sink)
      throws IOException {
    sink.entry(name, filter.redact(text).getBytes(StandardCharsets.UTF_8));
  }

  /** Returns selected properties of the platform, of Java and of the system. */
  private static String properties() {
    TreeMap<String, String> properties = new TreeMap<>();
    for (String name : System.getProperties().stringPropertyNames()) {
      if (name.matches("(holdfast|java\\.(vm|runtime|version)|os|karaf)\\b.*")) {
        properties.put(name, System.getProperty(name));
      }
    }
    properties.put(
        "uptime.milliseconds", String.valueOf(ManagementFactory.getRuntimeMXBean().getUptime()));
    return properties.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .collect(Collectors.joining("\n", "", "\n"));
  }

  private static String diagnostic(String command) {
    try {
      return String.valueOf(
          ManagementFactory.getPlatformMBeanServer()
              .invoke(
                  new ObjectName("com.sun.management:type=DiagnosticCommand"),
                  command,
                  new Object[] {new String[0]},
                  new String[] {String[].class.getName()}));
    } catch (JMException e) {
      return command + ": " + e.getMessage();
    }
  }

  private static String threads() {
    StringBuilder text = new StringBuilder();
    for (ThreadInfo thread : ManagementFactory.getThreadMXBean().dumpAllThreads(true, true)) {
      text.append('"').append(thread.getThreadName()).append("\" #");
      text.append(thread.getThreadId()).append(' ').append(thread.getThreadState());
      LockInfo lock = thread.getLockInfo();
      if (lock != null) {
        text.append(" on ").append(lock).append(" of ").append(thread.getLockOwnerName());
      }
      text.append('\n');
      for (StackTraceElement frame : thread.getStackTrace()) {
        text.append("\tat ").append(frame).append('\n');
      }
      for (MonitorInfo held : thread.getLockedMonitors()) {
        text.append("\tholds ").append(held).append('\n');
      }
      text.append('\n');
    }
    return text.toString();
  }
}
