package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The heap of a node's process, seen by the JDK's own tool after a collection. */
final class Heap {
  private static final Pattern USED =
      Pattern.compile("(?:generation|heap) +total \\d+K, used (\\d+)K");
  private static final Pattern LOADER = Pattern.compile("BundleWiringImpl\\$BundleClassLoader");

  /** Other full collections leave gaps, which count as used: MarkSweepAlwaysCompactCount. */
  private static final int COMPACTS = 4;

  private final long pid;

  Heap(long pid) {
    this.pid = pid;
  }

  /** Returns the bytes that are in use after full collections. */
  long used() {
    for (int i = 0; i < COMPACTS; i++) {
      collect();
    }
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

  /** Returns in how many class loaders a class is loaded after a full collection. */
  long loaded(String className) {
    collect();
    return jcmd("VM.classloaders", "show-classes=true", "fold=false")
        .lines()
        .filter(line -> line.endsWith(" " + className))
        .count();
  }

  private void collect() {
    String unused = jcmd("GC.run");
  }

  private String jcmd(String... request) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString());
    words.add(String.valueOf(pid));
    words.addAll(List.of(request));
    return Command.of(words).run().succeeded().out();
  }
}
