package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.blobs.PoolExport;
import dev.holdfast.engine.lvm.internal.device.DirectFile;
import dev.holdfast.engine.lvm.internal.links.PortalExports;
import dev.holdfast.frontend.nbd.internal.NbdFrontend;
import dev.holdfast.host.LocalHost;
import dev.holdfast.portal.PortalSettings;
import dev.holdfast.portal.SocketPortal;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Runs inside a virtual machine: exports a device until its input ends. Arguments: address, port,
 * device, export, generation. A line of the input withdraws the export; then it prints a line.
 */
final class ExporterInGuest {
  private ExporterInGuest() {}

  public static void main(String[] arguments) throws Exception {
    Map<String, String> settings =
        Map.of("holdfast.address", arguments[0], "holdfast.nbd.port", arguments[1]);
    PortalSettings options = new PortalSettings(name -> Optional.ofNullable(settings.get(name)));
    try (SocketPortal portal = new SocketPortal(options)) {
      portal.arrived(new NbdFrontend());
      PortalExports exports =
          new PortalExports(
              portal, "nbd", "node", new LocalHost(), DirectFile::open, Path.of("/run/exports"));
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
