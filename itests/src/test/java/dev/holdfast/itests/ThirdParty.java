package dev.holdfast.itests;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The environment of a third-party developer: an empty folder, the Holdfast artifacts in a Maven
 * repository, no network, a running node, and docs/PLUGINS.md.
 */
final class ThirdParty {
  private static final Path TREE = Path.of(System.getProperty("holdfast.tree")).normalize();
  private static final Path DISTRIBUTION =
      Path.of(System.getProperty("holdfast.distribution")).normalize();
  private static final Path LIBRARIES = Path.of(System.getProperty("holdfast.repository"));
  private static final Pattern ARTIFACT =
      Pattern.compile(
          "(?:</parent>|</modelVersion>)\\s*(?:<!--.*?-->\\s*)?(?:<groupId>[^<]*</groupId>\\s*)?<artifactId>([^<]*)<");

  private static final Duration LIMIT = Duration.ofMinutes(5);

  private final Path home;
  private final RunningNode node;

  private ThirdParty(Path home, RunningNode node) {
    this.home = home;
    this.node = node;
  }

  static ThirdParty in(Path home, RunningNode node) throws IOException {
    ThirdParty party = new ThirdParty(home, node);
    Files.createDirectories(party.work());
    party.publish();
    party.command(
        "mvn", "exec " + onPath("mvn") + " -o -q -B -Dmaven.repo.local=" + party.repository());
    party.command("holdfast", "exec " + DISTRIBUTION.resolve("holdfast"));
    return party;
  }

  Path work() {
    return home.resolve("work");
  }

  private Path repository() {
    return home.resolve("repository");
  }

  /** Runs the commands of the page for a kind of plugin; returns their output. */
  String follows(String kind, String from, String to) throws IOException {
    return runs(commands(kind).replace(from, to));
  }

  /** Returns the commands of a block of the page, each of which is one line. */
  List<String> lines(String block) throws IOException {
    List<String> lines = commands(block).lines().toList();
    if (lines.isEmpty()) {
      throw new IOException("docs/PLUGINS.md has no block \"sh " + block + "\"");
    }
    return lines;
  }

  private static String commands(String kind) throws IOException {
    return Pattern.compile("```sh " + kind + "\n(.*?)```", Pattern.DOTALL)
        .matcher(Files.readString(TREE.resolve("docs/PLUGINS.md")))
        .results()
        .map(block -> block.group(1))
        .collect(Collectors.joining());
  }

  /** Runs commands in the folder of all projects. */
  String runs(String commands) throws IOException {
    return Command.of(program("script", commands).toString()).within(LIMIT).run().succeeded().out();
  }

  /** Returns a program that runs commands in the folder of all projects. */
  Path program(String name, String commands) throws IOException {
    Path file =
        Files.writeString(
            home.resolve(name),
            """
            #!/bin/bash
            set -eu
            export PATH=%s:$PATH KUBECONFIG=%s HOLDFAST_DATA=%s HOLDFAST_ARCHIVE=%s
            cd %s
            %s
            """
                .formatted(
                    home.resolve("bin"),
                    node.ok("kubeconfig"),
                    node.data(),
                    archive(),
                    work(),
                    commands));
    return executable(file);
  }

  private static Path archive() throws IOException {
    return TREE.resolve("karaf-assembly/target/holdfast-distribution-" + version() + ".tar.gz");
  }

  private void command(String name, String line) throws IOException {
    Path bin = Files.createDirectories(home.resolve("bin"));
    Path file = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + line + " \"$@\"\n");
    Path unused = executable(file);
  }

  private static Path executable(Path file) throws IOException {
    if (!file.toFile().setExecutable(true)) {
      throw new IOException("cannot make " + file + " a program");
    }
    return file;
  }

  private static Path onPath(String program) {
    return Stream.of(System.getenv("PATH").split(":", -1))
        .map(folder -> Path.of(folder, program))
        .filter(Files::isExecutable)
        .findFirst()
        .orElseThrow();
  }

  /**
   * Links the Holdfast artifacts as built, and those of other projects from the local repository,
   * which stays unchanged.
   */
  private void publish() throws IOException {
    link(LIBRARIES, repository(), "dev");
    link(LIBRARIES.resolve("dev"), repository().resolve("dev"), "holdfast");
    String version = version();
    try (Stream<Path> poms = Files.find(TREE, 4, (path, is) -> path.endsWith("pom.xml"))) {
      for (Path pom : (Iterable<Path>) poms::iterator) {
        publish(pom, version);
      }
    }
  }

  private static void link(Path from, Path to, String except) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> entries = Files.list(from)) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        String name = entry.getFileName().toString();
        if (Files.isDirectory(entry) && !name.equals(except)) {
          Files.createSymbolicLink(to.resolve(name), entry);
        }
      }
    }
  }

  private static String version() throws IOException {
    Matcher version =
        Pattern.compile("<version>([^<]*)<").matcher(Files.readString(TREE.resolve("pom.xml")));
    return version.results().map(found -> found.group(1)).findFirst().orElseThrow();
  }

  private void publish(Path pom, String version) throws IOException {
    Matcher artifact = ARTIFACT.matcher(Files.readString(pom));
    if (!artifact.find()) {
      throw new IOException(pom + " names no artifact");
    }
    String name = artifact.group(1) + "-" + version;
    Path folder = repository().resolve(Path.of("dev", "holdfast", artifact.group(1), version));
    Files.createDirectories(folder);
    Files.copy(pom, folder.resolve(name + ".pom"));
    Path jar = pom.resolveSibling("target").resolve(name + ".jar");
    if (Files.exists(jar)) {
      Files.copy(jar, folder.resolve(name + ".jar"));
    }
  }

  /** Returns the reports of the conformance kit's classes. */
  List<Path> reports(String project) throws IOException {
    return reports(project, "surefire-reports");
  }

  /** Returns the reports of the tests in a container. */
  List<Path> containerReports(String project) throws IOException {
    return reports(project, "failsafe-reports").stream()
        .filter(file -> file.getFileName().toString().startsWith("TEST-"))
        .toList();
  }

  private List<Path> reports(String project, String folder) throws IOException {
    try (Stream<Path> files =
        Files.list(work().resolve(project).resolve("target").resolve(folder))) {
      return files.filter(file -> file.toString().endsWith(".xml")).toList();
    }
  }
}
