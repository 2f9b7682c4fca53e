package dev.holdfast.engine.spdk.internal.process;

import dev.holdfast.engine.spdk.simulator.SimulatedTarget;
import dev.holdfast.engine.spdk.simulator.fabric.Fabric;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;

/** The simulator as a program that takes the arguments of {@code nvmf_tgt}. */
final class SimulatedProgram {
  private SimulatedProgram() {}

  /** Serves at the socket that follows {@code -r}, until a call ends it. */
  public static void main(String[] arguments) throws Exception {
    Path socket = Path.of(arguments[Arrays.asList(arguments).indexOf("-r") + 1]);
    try (Fabric fabric = new Fabric();
        SimulatedTarget target = SimulatedTarget.start(socket, fabric, Path::of)) {
      target.awaitEnd();
    }
  }

  /** Writes a script that becomes this program. */
  static Path script(Path folder) throws IOException {
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
