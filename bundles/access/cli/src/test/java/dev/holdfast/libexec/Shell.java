package dev.holdfast.libexec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs programs and the functions of {@code libexec}, without a node. */
final class Shell {
  static final Path ROOT = Path.of("../../..").toAbsolutePath().normalize();

  private static final List<String> PARTS =
      List.of(
          "common",
          "access",
          "requirements",
          "build",
          "instance",
          "up",
          "cluster",
          "node",
          "cli",
          "settings",
          "store");

  private final Path folder;
  private final Map<String, String> environment = new HashMap<>();

  /** Keeps the output of programs in the folder. */
  Shell(Path folder) {
    this.folder = folder;
  }

  /**
   * Result of a program.
   *
   * @param exitCode of the program
   * @param out its standard output, without white space at the ends
   * @param err its standard error, likewise
   */
  record Ended(int exitCode, String out, String err) {
    Ended succeeded() {
      assertThat(exitCode).as("%s%n%s", out, err).isZero();
      return this;
    }
  }

  Shell with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  /** Runs a script after the functions of {@code holdfast}, with a data directory. */
  Ended functions(Path data, String script) throws IOException, InterruptedException {
    return run("bash", "-c", withFunctions(script), ROOT.toString(), data.toString());
  }

  /** Runs it as an account that is not the owner of the files, where this is root's. */
  Ended asOther(Path data, String script) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    if (System.getProperty("user.name").equals("root")) {
      command.addAll(List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"));
    }
    // The account may not reach the source tree.
    run("cp", "-r", ROOT.resolve("libexec").toString(), folder.toString()).succeeded();
    command.addAll(
        List.of("bash", "-c", withFunctions(script), folder.toString(), data.toString()));
    return run(command.toArray(String[]::new));
  }

  private static String withFunctions(String script) {
    StringBuilder text = new StringBuilder("set -euo pipefail\nHOLDFAST_HOME=$0\n");
    for (String part : PARTS) {
      text.append(". \"$HOLDFAST_HOME/libexec/").append(part).append(".sh\"\n");
    }
    return text + "data=$1\n" + script;
  }

  /** Runs the command of this tree. */
  Ended holdfast(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of(ROOT.resolve("holdfast").toString()));
    command.addAll(List.of(arguments));
    return run(command.toArray(String[]::new));
  }

  Ended run(String... command) throws IOException, InterruptedException {
    Path out = Files.createTempFile(folder, "out", "");
    Path err = Files.createTempFile(folder, "err", "");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().putAll(environment);
    Process process = builder.start();
    process.getOutputStream().close();
    if (!process.waitFor(2, TimeUnit.MINUTES)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
      throw new AssertionError("no end: " + List.of(command) + "\n" + Files.readString(err));
    }
    return new Ended(
        process.exitValue(), Files.readString(out).strip(), Files.readString(err).strip());
  }
}
