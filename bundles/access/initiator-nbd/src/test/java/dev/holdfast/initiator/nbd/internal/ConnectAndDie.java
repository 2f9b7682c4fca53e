package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.initiator.HostState;
import java.net.URI;
import java.nio.file.Path;

/** A program that connects a volume and is killed. */
final class ConnectAndDie {
  private ConnectAndDie() {}

  public static void main(String[] arguments) throws Exception {
    HostState state = new HostState(Path.of(arguments[0]));
    new DaemonInitiator(new FuseLoopDevice(), state).connect("demo", URI.create(arguments[1]));
    new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid()))
        .start()
        .waitFor();
  }
}
