package dev.holdfast.initiator.nbd.internal;

import dev.holdfast.initiator.HostState;
import java.net.URI;
import java.nio.file.Path;

/** A program that connects a volume by the kernel's NBD, or disconnects it, inside of a VM. */
final class KernelConnection {
  private KernelConnection() {}

  public static void main(String[] arguments) throws Exception {
    HostState state = new HostState(Path.of("/run/initiators"));
    DaemonInitiator initiator = new DaemonInitiator(new KernelDevice(), state);
    if (arguments.length == 0) {
      initiator.disconnect("demo");
    } else {
      System.out.println(initiator.connect("demo", URI.create(arguments[0])).device());
    }
  }
}
