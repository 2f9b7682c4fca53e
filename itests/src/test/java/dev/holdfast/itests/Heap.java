package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The heap of a node's process, seen by the JDK's own tool after a collection. */
final class Heap {
  private static final Pattern TOTAL = Pattern.compile("(?m)^Total +\\d+ +(\\d+)$");
  private static final Pattern LOADER = Pattern.compile("BundleWiringImpl\\$BundleClassLoader");

  private final long pid;

  Heap(long pid) {
    this.pid = pid;
  }

  /** Returns the bytes of all objects in use: whichever collector runs, gaps are not among them. */
  long used() {
    Matcher total = TOTAL.matcher(jcmd("GC.class_histogram"));
    assertThat(total.find()).as("the histogram ends with its total").isTrue();
    return Long.parseLong(total.group(1));
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
