"""The published files of ACEBench: where they stand in the public repository, and the git blob id of each.

Of the scenario files, which hold the environments' initial tables, those of `multi_turn` are taken: the tables of
`multi_step` are the same (docs/acebench.md#the-worlds).
"""

from __future__ import annotations

from pathlib import Path

from toolgauge.data.files import DataSource, RemoteFile

REPOSITORY = "chenchen0103/ACEBench"
COMMIT = "56dd66cf6439b0d9655ee1b353e4cd745c6f664e"

# A line per category: its name, the blobs of the questions and of the answers.
_DATA = {
    "en": """
normal_single_turn_single_function ed01f8043c749a4a00d77b6bf0e8d314381eb3db 6f88a3fe31a066b57d9ed6e14ee579444fb0a70f
normal_single_turn_parallel_function d50841cf81fa58891e3ba9704bacb484c90cf235 14ea2a7228d1fb397f88b536f9b75e4e5590ac75
normal_multi_turn_user_adjust 8558a6e0443def265bb288d84d44515eb0a854df 699cd06abeb5d23a576e5d28ceb9a2438a5004db
normal_multi_turn_user_switch 66e2d79c29e128e3acd7628a7bb37bfda7738056 5f62ec775408076e43b956d3117aebeb079d98ab
normal_similar_api 531df4c635d997224fc2636061d4c8c5bd58ad9c 71ad71098133835f3fc2ddf25a0155eb6e105d9f
normal_preference 5c499fb7c23859a9b0e9c280f3fcbf45c87e538e 29240ae5cc362ec5408031296088f9e54aabb87b
normal_atom_bool c00d5d9abc01fb0745c47fa05f02b0b7e52d695d bb203728ceeeabc3fbabbd02970d644dc4691f8d
normal_atom_enum 4d2c8413b173208c43d97f364dad8e39cb412bed 197bb4e079d3af0a3c3fef0561a8ed2f5652b376
normal_atom_number 47c135b7846991ed99940f5ba5b070e0e262f893 3b4041b4f8c5a9f57f75ed069cd71489f0ccab8a
normal_atom_list 30fb28336370ea49a41fa4a082c849f8911bb82a fd2e8bc7cef1c3dff9c92f7da6e5071deeb59c06
normal_atom_object_deep 3eb171b80bae6bc7bdb95f3d69ac12cb3025cf13 ea299bf3970841e858a936cc6014380132405f30
normal_atom_object_short 97a6310c60123fd134cfe27e2a2504507657b5cb 76b0c1f1aefd68b3b4684d5c5e778e480ab4c9be
special_incomplete 8a153c7029dc4c082370a648e5954bfe83b879ae 3ce8de3722b4852d6111e7a713efb9105b83176b
special_error_param da29b2b1e72c0b8278cfae29ede448dd27751d94 9c7d95186c02cd7b3344b739872fd51583d02790
special_irrelevant c98112ad9bf9aa1b2f509854247badb424f98440 d515bda2439b8859f369af351376d755335eaccb
agent_multi_step ebb09a4657232801de246bef83501effe1c45e49 157612102e5f6994412e7ca10ab109682e6d8cbf
agent_multi_turn 267f30a65ee34b5635986053bf51bf2cb7aa2dbf b037c9dda02308133aeb9a3f366477b7c2c8b0b5
""",
    "zh": """
normal_single_turn_single_function 9ba10a383b5f0f5ab295d0e19b37e80843d6f827 3897327b0660f11ede9e9a5da0059b47a3a7e109
normal_single_turn_parallel_function 19e41d31dc6cd1924e967df91455553bc881bb6b 61a02a648671442fd873e98859059592bfcd4dd8
normal_multi_turn_user_adjust 7b98bd95621f2557ec135fe17ee7539da6c05430 65cb7ab862757808ea2fd34d3a5dfcb290c5303e
normal_multi_turn_user_switch dd6495aafeb5512d7a3dac0bbbfe1906b9fbea21 d9866598d69f733f19407d3303605c37801cdaad
normal_similar_api 9b49723938345040ba164c9aa72988dedeb2f4b3 edfbed06ad40a168d5cd4dd88963b020e0f161cb
normal_preference 0962853152cb5aac8d0bbd868c1d8928a1da3274 27542d62cd7366f85030b2bd8b31fb48b8e81142
normal_atom_bool 7cb9e3301e67b94d96d9b238273cc1218fd88b57 9bd39dafe390afdee9a881e4be3a9a5453e03911
normal_atom_enum 2c8471fa0e9cabf06f8fdb9ab10a954f6d373acb 197ee9d62882f57f801c9052adfbd6bd1b570a26
normal_atom_number 7e697a25c13bede91d843417dcdde5bcf9b570d6 7fe48ab7e2ca118f853e24bf79ddd9cc05259d6a
normal_atom_list cea5f7c955e296a776634164569c56f932b2fa65 d11af08aeec8d3e409d3fe0d33a0e726d35901cf
normal_atom_object_deep 8a858101ed906a993aebfe84f2ee3544f09b97f0 cfea8c25a545269ca558623ef3a361a18dc81882
normal_atom_object_short dfa547973379f86965790b26ae5887ec1442e6b5 50f3983e3813d843cef4c008366b3bad4a08ea00
special_incomplete f343ddb7a5194857491b72ac8f5dbd567aa1333e c2b149561ee960a80cea6d130a5227ed0a71e24c
special_error_param c84a6d0c97273a9a05d0b287dab8568c0e5efa3b 632cba19d787d02e1cf502bb2bcbb53e2889687e
special_irrelevant e032ba495ad54936cae2dd4abb2a838c52a2e177 d515bda2439b8859f369af351376d755335eaccb
agent_multi_step d11d7a923e5c783104dcdd764edfb2926b743516 aca1bd11696c1f7b4a60055cf60d0a3f10ab0b00
agent_multi_turn a9e87be1d20fe29fd757d40ebe61ee15313cde31 834d4863b72a9c7879ce9a94f25fc97d80a6dacf
""",
}

# A line per scenario file: its path, the English blob, the Chinese blob.
_SCENARIOS = """
phone_platform/base_api.py e3b86f398bf13210a9ea17f69274e3b20b582b4e 1fe4daa5bbcadf6d39c2f96743ebfb6401f36ea0
phone_platform/food_services.py 482469a2c5a8f4e79ae294579117f48e316a71be 67a317c4155f15a2d12354fa5f5e3102791687f5
phone_platform/message.py 82b0bd3122a56f05bc8e166a5e134a4b8c7a0f0b ec0ee701dc8118fc0c58bf9013227d07ae764d7c
phone_platform/reminder.py 3b66663386eaa11618a286b6bdbd4f1afb113c29 16f35e968da791747b509503c6175d08cf58d993
travel.py 2a4238cd6ec506800bc86d744fd699213f911d7b 6cda18dbbc8fea9e2c1a18742c51704299eb1756
"""


def data_files() -> dict[str, str]:
    """Path -> blob id of the question and answer files, of both languages."""
    files: dict[str, str] = {}
    for language, rows in _DATA.items():
        for row in rows.strip().splitlines():
            category, questions, answers = row.split()
            files[f"data_all/data_{language}/data_{category}.json"] = questions
            files[f"data_all/data_{language}/possible_answer/data_{category}.json"] = answers
    return files


def scenario_files() -> dict[str, tuple[str, str]]:
    """Path -> (blob id, place in the cache) of the scenario files, of both languages."""
    files: dict[str, tuple[str, str]] = {}
    for row in _SCENARIOS.strip().splitlines():
        path, *blobs = row.split()
        for language, blob in zip(("en", "zh"), blobs, strict=True):
            place = f"scenarios/{language}/{path.rpartition('/')[2]}"
            files[f"model_inference/multi_turn/scenarios{language}/{path}"] = (blob, place)
    return files


def _files() -> tuple[RemoteFile, ...]:
    data = [RemoteFile(path, blob, path) for path, blob in data_files().items()]
    return (*data, *(RemoteFile(path, *rest) for path, rest in scenario_files().items()))


def _write_tables(folder: Path) -> None:
    """The environments' initial tables, read out of the scenario files."""
    from toolgauge.benchmarks.acebench.data.scenario import write_tables

    write_tables(folder / "scenarios", folder / "environments")


ACEBENCH = DataSource(
    "acebench",
    "ACEBench: 17 categories, 1,023 entries in English and 1,017 in Chinese",
    REPOSITORY,
    COMMIT,
    _files(),
    folder="data_all",
    finish=_write_tables,
)
