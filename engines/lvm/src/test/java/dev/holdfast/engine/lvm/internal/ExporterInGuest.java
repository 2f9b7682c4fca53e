package dev.holdfast.engine.lvm.internal;

import dev.holdfast.certificates.files.TlsDirectory;
import dev.holdfast.engine.lvm.blobs.links.PoolExport;
import dev.holdfast.engine.lvm.internal.device.DirectFile;
import dev.holdfast.engine.lvm.internal.links.PortalExports;
import dev.holdfast.frontend.nbd.internal.ReplicaFrontend;
import dev.holdfast.host.LocalHost;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Runs inside a virtual machine: exports a device until its input ends. Arguments: address, port,
 * device, export, generation, node, folder of the node's certificate. A line of the input withdraws
 * the export; the program then prints a line.
 */
final class ExporterInGuest {
  private ExporterInGuest() {}

  public static void main(String[] arguments) throws Exception {
    Map<String, String> settings =
        Map.of(
            "holdfast.address",
            arguments[0],
            "holdfast.replica.port",
            arguments[1],
            "holdfast.replica.tls",
            "require");
    PortalSettings options = new PortalSettings(name -> Optional.ofNullable(settings.get(name)));
    try (SocketPortal portal = new SocketPortal(options)) {
      portal.arrived(
          TlsDirectory.prepare(
              Path.of(arguments[6]), arguments[5], List.of(arguments[0]), Clock.systemUTC()));
      portal.arrived(new ReplicaFrontend());
      PortalExports exports =
          new PortalExports(
              "replica", arguments[5], new LocalHost(), DirectFile::open, Path.of("/run/exports"));
      exports.arrived(portal);
      PoolExport export =
          exports.export(Path.of(arguments[2]), arguments[3], Long.parseLong(arguments[4]));
      System.out.println("exported");
      BufferedReader input =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      while (input.readLine() != null) {
        export.close();
        System.out.println("withdrawn");
      }
    }
  }
}
