package dev.holdfast.share.nfs.internal.ganesha;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaSettings.ExportRule;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaSettings.Squash;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GaneshaConfigTest {
  private static final ShareFolder FOLDER =
      ShareFolder.of(Path.of("/data/shares"), Path.of("/run/shares"), "v1");

  private static GaneshaSettings settings(String volume, List<ExportRule> rules) {
    return new GaneshaSettings(
        volume,
        "uid-1",
        "10.0.0.1",
        2049,
        0xffff_fffe_0000_0001L,
        Duration.ofSeconds(10),
        Duration.ofSeconds(15),
        rules);
  }

  @Test
  void exportGivesAccessToNamedClientsOnly() throws StorageException {
    List<ExportRule> rules =
        List.of(
            new ExportRule(List.of(ClientAddress.parse("10.0.0.2")), false, Squash.NONE),
            new ExportRule(
                List.of(ClientAddress.parse("10.1.0.0/16"), ClientAddress.parse("fd00::/8")),
                true,
                Squash.ROOT));
    assertThat(GaneshaConfig.export(settings("v1", rules), FOLDER))
        .isEqualTo(
            """
            EXPORT {
              Export_Id = 1;
              Path = "/data/shares/v1/export";
              Pseudo = "/v1";
              Filesystem_id = 4294967294.1;
              Access_Type = None;
              Squash = All_Squash;
              Protocols = 4;
              Transports = TCP;
              SecType = sys;
              CLIENT {
                Clients = 10.0.0.2;
                Access_Type = RW;
                Squash = No_Root_Squash;
                Protocols = 4;
              }
              CLIENT {
                Clients = 10.1.0.0/16, fd00:0:0:0:0:0:0:0/8;
                Access_Type = RO;
                Squash = Root_Squash;
                Protocols = 4;
              }
              FSAL {
                Name = VFS;
              }
            }
            """);
  }

  @Test
  void serverKeepsItsRecordsOnTheVolumeAndItsIdentityOnEachNode() throws StorageException {
    assertThat(GaneshaConfig.server(settings("v1", List.of()), FOLDER))
        .contains(
            "Bind_Addr = 10.0.0.1;",
            "NFS_Port = 2049;",
            "Clustered = false;",
            "RecoveryBackend = fs;",
            "RecoveryRoot = \"/data/shares/v1/recovery/nfs\";",
            "Server_Scope = \"uid-1\";",
            "Server_Owner = \"uid-1\";",
            "Lease_Lifetime = 10;",
            "Grace_Period = 15;")
        .doesNotContain("EXPORT {");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a\"; Access_Type = RW; #", "a\\", "a\nb", "a$b", "a'b", "ä"})
  void namesThatTheServerWouldInterpretAreRefused(String name) {
    assertThatThrownBy(() -> GaneshaConfig.export(settings(name, List.of()), FOLDER))
        .isInstanceOf(StorageException.class)
        .hasMessageContaining("cannot be written into Ganesha's configuration");
  }
}
