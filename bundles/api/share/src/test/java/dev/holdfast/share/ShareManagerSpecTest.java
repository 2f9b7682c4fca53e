package dev.holdfast.share;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.FieldError;
import dev.holdfast.resource.volume.AccessMode;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShareManagerSpecTest {
  private static final ShareManagerSpec VALID = ShareManagerSpec.EMPTY.withVolume("films");

  private static List<String> fields(ShareManagerSpec spec) {
    return ShareManager.of(spec).validate().stream().map(FieldError::field).toList();
  }

  @Test
  void defaultsAreValid() {
    assertThat(fields(VALID)).isEmpty();
    assertThat(VALID.leaseSeconds()).isEqualTo(10);
    assertThat(VALID.graceSeconds()).isEqualTo(15);
    assertThat(VALID.filesystem().type()).isEqualTo("ext4");
  }

  @Test
  void eachWrongFieldIsNamed() {
    assertThat(fields(VALID.withAddress("10.0.0.9/24"))).containsExactly("spec.address");
    assertThat(fields(VALID.withPort(65_536))).containsExactly("spec.port");
    assertThat(fields(VALID.withLeaseSeconds(4))).containsExactly("spec.leaseSeconds");
    assertThat(fields(VALID.withLeaseSeconds(20))).containsExactly("spec.graceSeconds");
    assertThat(fields(VALID.withGraceSeconds(181))).containsExactly("spec.graceSeconds");
    assertThat(fields(VALID.withKeyFile("key"))).containsExactly("spec.keyFile");
    assertThat(fields(VALID.withKeySecret("no name"))).containsExactly("spec.keySecret");
    assertThat(fields(VALID.withKeySecret("name").withKeyFile("/key")))
        .containsExactly("spec.keySecret");
    assertThat(fields(VALID.withKeySecret("name"))).isEmpty();
    assertThat(fields(VALID.withMountOptions(List.of("hard,ro"))))
        .containsExactly("spec.mountOptions");
    assertThat(fields(VALID.withAllowedClients(List.of(AllowedClient.of("web.example")))))
        .containsExactly("spec.allowedClients[0].address");
    assertThat(fields(VALID.withFilesystem(ShareFilesystem.DEFAULT.withType("zfs"))))
        .containsExactly("spec.filesystem.type");
    assertThat(fields(VALID.withProtocol("NFS"))).containsExactly("spec.protocol");
  }

  @Test
  void nameIsThatOfTheVolume() {
    ShareManager other = ShareManager.of(VALID).withSpec(VALID.withVolume("music"));

    assertThat(other.validate()).extracting(FieldError::field).containsExactly("spec.volume");
  }

  @Test
  void volumeAndProtocolNeverChange() {
    ShareManager before = ShareManager.of(VALID);

    assertThat(before.withSpec(VALID.withProtocol("smb")).validateChange(before))
        .extracting(FieldError::field)
        .containsExactly("spec.protocol");
    assertThat(before.withSpec(VALID.withPort(2049)).validateChange(before)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.1.2.3", "10.1.2.0/24", "fd00::1", "fd00::/64", "::/0", "0.0.0.0/0"})
  void addressesAndNetworksAreAllowedClients(String address) {
    assertThat(fields(VALID.withAllowedClients(List.of(AllowedClient.of(address))))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "*", "10.1.2", "10.1.2.256", "10.1.2.0/33", "fd00::/129", "a/24", "::g"})
  void otherTextsAreNotAllowedClients(String address) {
    assertThat(fields(VALID.withAllowedClients(List.of(AllowedClient.of(address))))).hasSize(1);
  }

  @Test
  void floatingAddressHasLengthAndInterface() {
    assertThat(ShareAddress.parsed("10.0.0.9/24%eth0"))
        .contains(new ShareAddress("10.0.0.9", 24, "eth0"));
    assertThat(ShareAddress.parsed("fd00::9/64%br-lan"))
        .contains(new ShareAddress("fd00::9", 64, "br-lan"));
    for (String wrong : List.of("10.0.0.9%eth0", "10.0.0.9/24", "x/24%eth0", "10.0.0.9/24%a b")) {
      assertThat(ShareAddress.parsed(wrong)).as(wrong).isEmpty();
    }
    assertThat(ShareAddress.own("10.0.0.9").isFloating()).isFalse();
  }

  @Test
  void onlyVolumesForManyNodesWithoutMigrationAreShared() {
    VolumeSpec many = VolumeSpec.EMPTY.withAccessMode(AccessMode.READ_WRITE_MANY);

    assertThat(ShareManager.isShared(Volume.of("films", many))).isTrue();
    assertThat(ShareManager.isShared(Volume.of("films", many.withMigratable(true)))).isFalse();
    assertThat(ShareManager.isShared(Volume.of("films", VolumeSpec.EMPTY))).isFalse();
  }

  @Test
  void keyIsNotPrinted() {
    assertThat(
            new ShareKey("secret", Optional.of("older"), "cipher", "sha256", 256, "argon2id")
                .toString())
        .doesNotContain("secret", "older");
  }

  @Test
  void observationServesOnlyWhenEveryPartDoes() {
    ShareObservation all =
        ShareObservation.NOTHING
            .withDevice(true)
            .withMounted(true)
            .withProcess(ServerProcess.RUNNING)
            .withAnswers(true)
            .withExported(true)
            .withProbe(WriteProbe.WRITTEN);

    assertThat(all.serves()).isTrue();
    assertThat(all.withProbe(WriteProbe.FULL).serves()).isTrue();
    assertThat(all.withProbe(WriteProbe.FAILED).serves()).isFalse();
    assertThat(all.withProbe(WriteProbe.TIMED_OUT).serves()).isFalse();
    assertThat(all.withExported(false).serves()).isFalse();
    assertThat(all.withAnswers(false).serves()).isFalse();
    assertThat(all.withProcess(ServerProcess.ZOMBIE).serves()).isFalse();
    assertThat(all.withMounted(false).serves()).isFalse();
    assertThat(all.withDevice(false).serves()).isFalse();
  }
}
