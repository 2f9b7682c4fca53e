package dev.holdfast.backuptarget.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NfsAddressTest {
  private static NfsAddress of(String address) throws StorageException {
    return NfsAddress.of(TargetUrl.parse(address));
  }

  @ParameterizedTest
  @CsvSource({
    "nfs://server:/opt/backups, nfs://server:2049/opt/backups",
    "nfs://server/opt/backups/, nfs://server:2049/opt/backups",
    "nfs://server.default:2050/b?volume=v1&backup=b1, nfs://server.default:2050/b",
    "nfs://[fd00::5]:/b, nfs://[fd00::5]:2049/b",
    "nfs://server:/, nfs://server:2049/"
  })
  void addressesOfLonghornAndPortsAreRead(String address, String export) throws Exception {
    NfsAddress read = of(address);

    assertThat(read.export()).hasToString(export);
    assertThat(read.options()).isEqualTo(NfsAddress.DEFAULT);
    assertThat(read).hasToString("backup target " + export);
  }

  @ParameterizedTest
  @CsvSource({
    "'nfs://s:/b?nfsOptions=soft,timeo=330,retrans=3'",
    "'nfs://s:/b?nfsOptions=soft%2Ctimeo%3D330%2Cretrans%3D3'"
  })
  void givenOptionsReplaceTheDefault(String address) throws Exception {
    assertThat(of(address).options()).isEqualTo(List.of("soft", "timeo=330", "retrans=3"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nfs:///b|server \"\": expected nfs://SERVER:/PATH",
        "nfs://user@s/b|server \"user@s\"",
        "nfs://s:99999/b|port 99999",
        "nfs://s:0/b|port 0",
        "nfs://s:/a//b|path \"/a//b\"",
        "nfs://s:/a/../b|path \"/a/../b\"",
        "nfs://s:/b?option=x|parameter \"option\": an NFS export has nfsOptions only: remove it",
        "nfs://s:/b?nfsOptions=vers=3|nfsOptions \"vers=3\": vers must be 4",
        "nfs://s:/b?nfsOptions=soft,port=1|port cannot be set: leave it out"
      })
  void otherAddressesAreRefusedWithTheReason(String address, String reason) {
    assertThatThrownBy(() -> of(address))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID))
        .hasMessageContaining("backup target: ")
        .hasMessageContaining(reason);
  }
}
