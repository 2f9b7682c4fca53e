package dev.holdfast.itests;

import dev.holdfast.page.contribution.PageContribution;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Good and bad contributions of bundles to the page of a real node, and bundles that are replaced
 * under the open page: {@code ui/e2e/contributions.mjs} has the steps.
 */
class PageContributionsE2E {
  /** Registers a card of this title with a component of this body. */
  private static final String CARD =
      """
      import { createElement } from 'react';
      %s
      export default function contribute(page) {
        page.registerCard({ id: 'card', title: '%s', component: () => %s });
      }
      """;

  private static final String VERSIONS =
      """
      export default function contribute(page) {
        const component = ({ resource }) => resource.metadata.resourceVersion;
        page.registerColumn({ id: 'version', kind: 'volumes', title: 'Version', component });
      }
      """;

  private static final String LOOP =
      "const end = performance.now() + 5000; while (performance.now() < end) { /* loops */ }";

  @TempDir Path directory;

  @Test
  @Timeout(value = 600, unit = TimeUnit.SECONDS)
  void contributionsAreAddedRemovedAndFailWithoutHarmToThePage() throws IOException {
    plays(3);
  }

  @Tag("soak")
  @Test
  @Timeout(value = 1800, unit = TimeUnit.SECONDS)
  void eachBundleIsReplacedFiftyTimesUnderTheOpenPage() throws IOException {
    plays(50);
  }

  private void plays(int replacements) throws IOException {
    Path jars = Files.createDirectory(directory.resolve("jars"));
    plant(jars, "throws-at-load", "throws-at-load", "volumes", "throw new Error('planted');");
    plant(jars, "throws-when-shown", "throws-when-shown", "volumes", throwing());
    plant(jars, "loops-at-load", "loops-at-load", "volumes", card(LOOP, "it has loaded"));
    plant(jars, "loops-at-load-2", "loops-at-load", "volumes", card("", "it was replaced"));
    plant(jars, "loops-at-load-3", "loops-at-load", "volumes", card("", "it was replaced again"));
    plant(jars, "shows-versions", "shows-versions", "volumes", VERSIONS);
    plant(jars, "reads-tokens", "reads-tokens", "accesstokens", card("", "never seen"));
    otherPage(jars.resolve("page.jar"));
    Files.copy(BundleJars.released("holdfast-page"), jars.resolve("page-as-opened.jar"));
    try (RunningNode node = RunningNode.start(directory.resolve("node"))) {
      PageStories.play("contributions", node, jars.toString(), String.valueOf(replacements));
    }
  }

  private static String card(String first, String text) {
    return CARD.formatted(first, "Late", "createElement('p', null, '" + text + "')");
  }

  private static String throwing() {
    return CARD.formatted("", "Broken", "{ throw new Error('planted'); }");
  }

  private static void plant(Path jars, String jar, String name, String kind, String script)
      throws IOException {
    PlantedBundle.of(
        jars.resolve(jar + ".jar"),
        name,
        PlantedContribution.class,
        PageContribution.class,
        "dev.holdfast.page.contribution",
        Map.of(
            PlantedContribution.NAME,
            name,
            PlantedContribution.KIND,
            kind,
            PageContribution.FOLDER + "/index.js",
            script));
  }

  /** Writes the bundle of the page with another version in its first file. */
  private static void otherPage(Path jar) throws IOException {
    try (JarFile from = new JarFile(BundleJars.released("holdfast-page").toFile());
        OutputStream file = Files.newOutputStream(jar);
        JarOutputStream to = new JarOutputStream(file, from.getManifest())) {
      String version = new String(content(from, "page/version"), StandardCharsets.UTF_8).strip();
      String index;
      try (InputStream in = from.getInputStream(from.getJarEntry("page/index.html.gz"))) {
        index = new String(new GZIPInputStream(in).readAllBytes(), StandardCharsets.UTF_8);
      }
      for (JarEntry entry : from.stream().filter(e -> !e.isDirectory()).toList()) {
        if (!entry.getName().equals(JarFile.MANIFEST_NAME)) {
          to.putNextEntry(new JarEntry(entry.getName()));
          to.write(
              switch (entry.getName()) {
                case "page/version" -> "another".getBytes(StandardCharsets.UTF_8);
                case "page/index.html.br" -> brotli(index.replace(version, "another"));
                default -> content(from, entry.getName());
              });
        }
      }
    }
  }

  private static byte[] content(JarFile jar, String path) throws IOException {
    try (InputStream in = jar.getInputStream(jar.getJarEntry(path))) {
      return in.readAllBytes();
    }
  }

  /** Returns a Brotli stream of one meta-block that is not compressed (RFC 7932, section 9.2). */
  private static byte[] brotli(String text) {
    byte[] content = text.getBytes(StandardCharsets.UTF_8);
    int header = (content.length - 1) << 4 | 1 << 20;
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(header);
    out.write(header >> 8);
    out.write(header >> 16);
    out.writeBytes(content);
    out.write(3);
    return out.toByteArray();
  }
}
