package dev.holdfast.share.nfs.internal.ganesha;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Control of one running Ganesha over its private D-Bus. Stateless. */
public final class GaneshaControl {
  private static final String EXPORTS = "org.ganesha.nfsd.exportmgr.";
  private static final String ADMIN = "org.ganesha.nfsd.admin";
  private static final String NUMBER = "uint16 ";
  private static final String STRING = "string ";

  private final DbusCall bus;

  /**
   * Prepares calls.
   *
   * @param host on which the server runs
   * @param socket of its bus
   * @param patience how long the server may take for an answer
   */
  public GaneshaControl(Host host, Path socket, Duration patience) {
    this.bus = new DbusCall(host, socket, patience);
  }

  /**
   * Returns whether an export is served.
   *
   * @param id of the export
   * @throws StorageException UNREACHABLE when the server does not answer
   */
  public boolean hasExport(int id) throws StorageException {
    return bus.call("ExportMgr", EXPORTS + "ShowExports").contains(NUMBER + id);
  }

  /**
   * Changes an export to what a file says, while clients use it.
   *
   * @throws StorageException IO with the server's message when it refuses; UNREACHABLE
   */
  public void updateExport(Path file, int id) throws StorageException {
    List<String> unused =
        bus.call(
            "ExportMgr",
            EXPORTS + "UpdateExport",
            "string:" + file,
            "string:EXPORT(Export_Id=" + id + ")");
  }

  /**
   * Removes an export: its clients get ESTALE.
   *
   * @throws StorageException IO with the server's message when it refuses; UNREACHABLE
   */
  public void removeExport(int id) throws StorageException {
    List<String> unused = bus.call("ExportMgr", EXPORTS + "RemoveExport", "uint16:" + id);
  }

  /**
   * Returns whether the server is in its grace period, in which clients reclaim what they held.
   *
   * @throws StorageException UNREACHABLE when the server does not answer
   */
  public boolean inGrace() throws StorageException {
    return bus.call("admin", ADMIN + ".get_grace").stream()
        .filter(line -> line.startsWith("boolean "))
        .findFirst()
        .map(line -> line.endsWith("true"))
        .orElseThrow(() -> malformed("get_grace"));
  }

  /**
   * Returns the version of the server.
   *
   * @throws StorageException UNREACHABLE when the server does not answer
   */
  public String version() throws StorageException {
    return bus
        .call(
            "admin",
            "org.freedesktop.DBus.Properties.Get",
            "string:" + ADMIN,
            "string:VERSION_RELEASE")
        .stream()
        .filter(line -> line.contains(STRING))
        .findFirst()
        .map(line -> unquoted(line.substring(line.indexOf(STRING))))
        .orElseThrow(() -> malformed("VERSION_RELEASE"));
  }

  private static String unquoted(String line) {
    return line.substring(STRING.length()).replaceAll("^\"|\"$", "");
  }

  private static StorageException malformed(String method) {
    return new StorageException(
        ErrorCode.IO, "Ganesha: " + method + ": the answer lacks the expected value");
  }
}
