package dev.holdfast.engine.spdk.simulator;

import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

/**
 * The simulator as a program that takes the arguments of {@code nvmf_tgt}. Listeners use the ports
 * that calls name.
 */
public final class SimulatedProgram {
  private SimulatedProgram() {}

  /**
   * Serves at the socket that follows {@code -r}, until a call ends it.
   *
   * @param arguments those of {@code nvmf_tgt}; all others are ignored; not null
   * @throws Exception when it cannot listen
   */
  public static void main(String[] arguments) throws Exception {
    Path socket = Path.of(arguments[Arrays.asList(arguments).indexOf("-r") + 1]);
    try (Fabric fabric = Fabric.ofRealPorts();
        SimulatedTarget target = SimulatedTarget.start(socket, fabric, Path::of)) {
      target.awaitEnd();
    }
  }

  /**
   * Writes a script that becomes this program, with the classes of the caller.
   *
   * @param folder where it is written, not null
   * @return the script, never null
   * @throws IOException when it cannot be written
   */
  public static Path script(Path folder) throws IOException {
    Path script = folder.resolve("nvmf_tgt");
    Files.writeString(
        script,
        "#!/bin/sh\nexec '%s/bin/java' -XX:TieredStopAtLevel=1 -cp '%s' %s \"$@\"\n"
            .formatted(
                System.getProperty("java.home"),
                System.getProperty("java.class.path"),
                SimulatedProgram.class.getName()));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwxr-xr-x"));
    return script;
  }
}
