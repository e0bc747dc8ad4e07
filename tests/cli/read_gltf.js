// node read_gltf.js MODULES FILE.glb...: Khronos' glTF validator finds neither errors nor warnings.
const { readFileSync } = require('fs');
const [modules, ...files] = process.argv.slice(2);
const { validateBytes } = require(`${modules}/gltf-validator`);

async function main() {
    let bad = 0;
    for (const file of files) {
        const { issues } = await validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 20 });
        if (issues.numErrors + issues.numWarnings === 0) continue;
        bad++;
        console.log(file, issues.numErrors, 'errors', issues.numWarnings, 'warnings');
        for (const { severity, code, message, pointer } of issues.messages)
            if (severity < 2) console.log('   ', code, message, pointer);
    }
    console.log(`${files.length} files, ${bad} with faults`);
    process.exit(bad > 0 || files.length === 0 ? 1 : 0);
}
main();
