package dev.holdfast.backuptarget.cifs.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.S3Server;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Addresses and credentials that can and cannot be right. */
class CifsAddressTest {
  @Test
  void addressesAreReadAsLonghornWritesThem() throws StorageException {
    assertThat(CifsAddress.of(TargetUrl.parse("cifs://nas.example/backups/a/b/")))
        .isEqualTo(new CifsAddress("nas.example", 445, "backups", "a/b"));
    assertThat(CifsAddress.of(TargetUrl.parse("cifs://10.0.0.5:1445/backups")))
        .isEqualTo(new CifsAddress("10.0.0.5", 1445, "backups", ""));
  }

  @Test
  void wrongAddressesAndKeysAreRefused() throws StorageException {
    for (String url :
        List.of(
            "cifs:///backups",
            "cifs://nas/",
            "cifs://nas:99999/backups",
            "cifs://user:word@nas/backups",
            "cifs://nas/backups/a//b",
            "cifs://nas/backups/a:b",
            "cifs://nas/backups?cifsOptions=dmVycz0z")) {
      assertThat(
              catchThrowableOfType(
                      StorageException.class, () -> CifsAddress.of(TargetUrl.parse(url)))
                  .code())
          .as(url)
          .isEqualTo(ErrorCode.INVALID);
    }
    CifsAddress address = CifsAddress.of(TargetUrl.parse("cifs://nas/backups/a"));
    assertThat(address.path("b/c")).isEqualTo("a/b/c");
    for (String key : List.of("b\\c", "b:stream", "b*", "b./c", "c ", "../c")) {
      assertThat(catchThrowableOfType(StorageException.class, () -> address.path(key)).code())
          .as(key)
          .isEqualTo(ErrorCode.INVALID);
    }
  }

  @Test
  void credentialsAreRequiredAndNotShown() throws StorageException {
    assertThat(
            catchThrowableOfType(
                StorageException.class,
                () -> CifsAccess.of(S3Server.credentials(Map.of("CIFS_USERNAME", "user")))))
        .hasMessageContaining("CIFS_PASSWORD: required");
    CifsAccess access =
        CifsAccess.of(
            S3Server.credentials(Map.of("CIFS_USERNAME", "DOM\\user", "CIFS_PASSWORD", "planted")));
    assertThat(access.context().getDomain()).isEqualTo("DOM");
    assertThat(access.context().getUsername()).isEqualTo("user");
    assertThat(access.toString()).doesNotContain("planted");
  }
}
