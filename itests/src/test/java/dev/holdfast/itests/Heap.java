package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.regex.Pattern;

/** The heap of a node's process, seen by the JDK's own tool after a collection. */
final class Heap {
  private static final Pattern USED =
      Pattern.compile("(?:generation|heap) +total \\d+K, used (\\d+)K");
  private static final Pattern LOADER = Pattern.compile("BundleWiringImpl\\$BundleClassLoader");

  private final long pid;

  Heap(long pid) {
    this.pid = pid;
  }

  /** Returns the bytes that are in use after a full collection. */
  long used() {
    collect();
    long kibibytes =
        USED.matcher(jcmd("GC.heap_info"))
            .results()
            .mapToLong(part -> Long.parseLong(part.group(1)))
            .sum();
    assertThat(kibibytes).as("the heap's use").isPositive();
    return kibibytes << 10;
  }

  /** Returns how many class loaders of bundles there are after a full collection. */
  long bundleLoaders() {
    collect();
    return LOADER.matcher(jcmd("VM.classloader_stats")).results().count();
  }

  private void collect() {
    String unused = jcmd("GC.run");
  }

  private String jcmd(String request) {
    String program = Path.of(System.getProperty("java.home"), "bin", "jcmd").toString();
    return Command.of(program, String.valueOf(pid), request).run().succeeded().out();
  }
}
