package dev.holdfast.backuptarget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetUrlTest {
  @Test
  void directoryHasPathAndNoAuthority() throws Exception {
    assertThat(TargetUrl.parse("file:///mnt/b%20ackups"))
        .isEqualTo(new TargetUrl("file", "", "/mnt/b ackups", Map.of()));
  }

  @Test
  void backupOfLonghornNamesItsVolume() throws Exception {
    TargetUrl url = TargetUrl.parse("s3://bucket@region/path/?backup=backup-1&volume=vol1");

    assertThat(url.authority()).isEqualTo("bucket@region");
    assertThat(url.parameter(TargetUrl.BACKUP)).isEqualTo("backup-1");
    assertThat(url.parameter(TargetUrl.VOLUME)).isEqualTo("vol1");
    assertThat(url.parameter("other")).isEmpty();
  }

  @Test
  void schemeIsLowerCaseAndPathIsNeverEmpty() throws Exception {
    assertThat(TargetUrl.parse("NFS://host:"))
        .isEqualTo(new TargetUrl("nfs", "host:", "/", Map.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/a",
        "file:a",
        "s3://b/?backup",
        "s3://b/?a=1&a=2",
        "s3://b/#x",
        "s3://b/ c",
        "s3://b/?a=%zz"
      })
  void otherTextsAreRefusedByName(String text) {
    assertThatThrownBy(() -> TargetUrl.parse(text))
        .isInstanceOf(StorageException.class)
        .hasMessageStartingWith("address \"" + text + "\": ");
  }
}
