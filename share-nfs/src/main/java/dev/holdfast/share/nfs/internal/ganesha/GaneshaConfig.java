package dev.holdfast.share.nfs.internal.ganesha;

import dev.holdfast.error.StorageException;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaSettings.ExportRule;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** The three configuration files of a share. Values that Ganesha would interpret are refused. */
final class GaneshaConfig {
  private GaneshaConfig() {}

  /** Returns the configuration of the server without its export. */
  static String server(GaneshaSettings settings, ShareFolder folder) throws StorageException {
    ConfigText text = new ConfigText();
    text.begin("NFS_CORE_PARAM")
        .key("Protocols", 4)
        .key("NFS_Port", settings.port())
        .key("Bind_Addr", settings.address())
        .key("Clustered", false)
        .key("Enable_UDP", false)
        .key("Enable_NLM", false)
        .key("Enable_RQUOTA", false)
        .end();
    text.begin("NFSv4")
        .key("Minor_Versions", "0, 1, 2")
        .key("Lease_Lifetime", settings.lease().toSeconds())
        .key("Grace_Period", settings.grace().toSeconds())
        // Another backend names its folder after the host: a server elsewhere would not find it.
        .key("RecoveryBackend", "fs")
        .string("RecoveryRoot", folder.recovery().resolve("nfs").toString())
        .string("RecoveryDir", "v4recov")
        .string("Server_Scope", settings.identity())
        .string("Server_Owner", settings.identity())
        .key("Only_Numeric_Owners", true)
        .key("Allow_Numeric_Owners", true)
        .end();
    text.begin("NFS_KRB5")
        .key("Active_krb5", false)
        .string("CCacheDir", folder.credentials().toString())
        .end();
    text.begin("LOG").key("Default_Log_Level", "EVENT").end();
    return text.toString();
  }

  /** Returns the export. Clients that no rule names get no access. */
  static String export(GaneshaSettings settings, ShareFolder folder) throws StorageException {
    long id = settings.filesystemId();
    ConfigText text = new ConfigText();
    text.begin("EXPORT")
        .key("Export_Id", GaneshaSettings.EXPORT_ID)
        .string("Path", folder.export().toString())
        .string("Pseudo", "/" + settings.volume())
        .key(
            "Filesystem_id",
            Integer.toUnsignedString((int) (id >>> 32)) + "." + Integer.toUnsignedString((int) id))
        .key("Access_Type", "None")
        .key("Squash", "All_Squash")
        .key("Protocols", 4)
        .key("Transports", "TCP")
        .key("SecType", "sys");
    for (ExportRule rule : settings.rules()) {
      client(text, rule);
    }
    text.begin("FSAL").key("Name", "VFS").end();
    return text.end().toString();
  }

  private static void client(ConfigText text, ExportRule rule) {
    text.begin("CLIENT")
        .key(
            "Clients",
            rule.clients().stream().map(ClientAddress::toString).collect(Collectors.joining(", ")))
        .key("Access_Type", rule.readOnly() ? "RO" : "RW")
        .key("Squash", rule.squash().word())
        .key("Protocols", 4)
        .end();
  }

  /** Returns the configuration of a bus to which only the administrator connects. */
  static String bus(Path socket) throws StorageException {
    String path = ConfigText.quoted("socket of the D-Bus", socket.toString());
    return """
        <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
         "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
        <busconfig>
          <listen>unix:path=%s</listen>
          <auth>EXTERNAL</auth>
          <policy user="root">
            <allow own="*"/>
            <allow send_destination="*"/>
            <allow receive_sender="*"/>
          </policy>
        </busconfig>
        """
        .formatted(path.substring(1, path.length() - 1));
  }
}
